// events_statechart.cpp -- the spec of streams/pings.h as a machine of Boost.Statechart.
//
// Usage: events_statechart EVENTS.  Rules are reactions of the state around the others; an event
// that nobody reacts to is wrong.
#include <boost/mpl/list.hpp>
#include <boost/statechart/custom_reaction.hpp>
#include <boost/statechart/event.hpp>
#include <boost/statechart/in_state_reaction.hpp>
#include <boost/statechart/simple_state.hpp>
#include <boost/statechart/state_machine.hpp>

#include <cstdlib>

#include "../process.h"

namespace sc = boost::statechart;
namespace mpl = boost::mpl;

template <class Self> struct Event : sc::event<Self> {
    explicit Event(int id, int kind = 0) : id(id), kind(kind) {}
    int id, kind;
};

struct PingOut : Event<PingOut> { using Event::Event; };
struct PongIn : Event<PongIn> { using Event::Event; };
struct NoiseIn : Event<NoiseIn> { using Event::Event; };
struct NoiseOut : Event<NoiseOut> { using Event::Event; };

struct Running;
struct Waiting;
struct Pinged;

struct Machine : sc::state_machine<Machine, Running> {
    int rounds = 0;
    long forwarded = 0, dropped = 0;
    bool wrong = false;

    void unconsumed_event(const sc::event_base &)
    {
        wrong = true;
    }
};

struct Running : sc::simple_state<Running, Machine, Waiting> {
    void allow(const NoiseIn &)
    {
        context<Machine>().forwarded++;
    }
    void drop(const NoiseOut &)
    {
        context<Machine>().dropped++;
    }
    typedef mpl::list<sc::in_state_reaction<NoiseIn, Running, &Running::allow>,
                      sc::in_state_reaction<NoiseOut, Running, &Running::drop>>
        reactions;
};

struct Waiting : sc::simple_state<Waiting, Running> {
    typedef sc::custom_reaction<PingOut> reactions;

    sc::result react(const PingOut &)
    {
        context<Machine>().forwarded++;
        return transit<Pinged>();
    }
};

struct Pinged : sc::simple_state<Pinged, Running> {
    typedef sc::custom_reaction<PongIn> reactions;

    sc::result react(const PongIn &event)
    {
        if (event.kind != 0 || (event.id != 1 && event.id != 2))
            return forward_event();
        context<Machine>().forwarded++;
        context<Machine>().rounds = (context<Machine>().rounds + 1) % 3;
        return transit<Waiting>();
    }
};

int main(int argc, char **argv)
{
    const long events = argc > 1 ? atol(argv[1]) / 4 * 4 : 0;
    Machine machine;

    machine.initiate();
    const double before = bench_cpu();
    for (long i = 0; i < events / 4 && !machine.wrong; i++) {
        machine.process_event(PingOut(1));
        machine.process_event(NoiseIn(1));
        machine.process_event(PongIn(1 + i % 2));
        machine.process_event(NoiseOut(1));
    }
    printf("events=%ld cpu=%.6f forwarded=%ld dropped=%ld\n", events, bench_cpu() - before,
           machine.forwarded, machine.dropped);
    return machine.wrong || machine.rounds != 0 || machine.state_downcast<const Waiting *>() == 0;
}
