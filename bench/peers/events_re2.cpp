// events_re2.cpp -- the spec of streams/pings.h as a regular expression: RE2.
//
// Usage: events_re2 EVENTS.  Each event is a letter, and they all lie in memory.
#include <re2/re2.h>

#include <cstdlib>
#include <string>

#include "../process.h"

int main(int argc, char **argv)
{
    const RE2 spec("(?:(?:[nd]*p[nd]*[ab]){3})*[nd]*");
    const long events = argc > 1 ? atol(argv[1]) : 0;
    std::string stream;

    for (long i = 0; i < events; i++)
        stream += "pnadpnbd"[i % 8];
    const double before = bench_cpu();
    const bool right = RE2::FullMatch(stream, spec);
    printf("events=%ld cpu=%.6f\n", events, bench_cpu() - before);
    return !right;
}
