/* cansm_spec.c -- the state manager: off, starting, on, or waiting after a bus-off.
 *
 * What it is asked for and told of is noted; the main function makes the transitions, and has a
 * call-out expression for each.  That nothing can be sent any more is told at once. */
#include "CanSM.h"
#include "stack.h"

RDL_REQUIREMENT("CanSM_R1", "The network is turned on when full communication is requested.");
RDL_REQUIREMENT("CanSM_R2", "Nothing is sent before the controller has said that it runs.");
RDL_REQUIREMENT("CanSM_R3", "The network is turned off when no communication is requested.");
RDL_REQUIREMENT("CanSM_R4", "After a bus-off the controller is started again, after a while.");
RDL_REQUIREMENT("CanSM_R5", "After many bus-offs in a row it takes longer.");

struct cansm {
    enum { OFF, STARTING, ON, WAITING } state;
    ComM_ModeType requested;
    bool controller_runs;
    int bus_offs, ticks;
};

RDL_TYPES(cansm, struct cansm, void);

/* ---- Requests and indications ------------------------------------------------------------- */

RDL_ARGS(cansm, request,
         a->mode = rdl_chance(t, s->requested == COMM_FULL_COMMUNICATION ? 0.3 : 0.9)
                       ? COMM_FULL_COMMUNICATION
                       : COMM_NO_COMMUNICATION);
RDL_WEIGH(cansm, request, s->requested == COMM_FULL_COMMUNICATION ? 1 : 6);
RDL_POST_RETURNS(cansm, request, s->requested = a->mode; *r = E_OK);
RDL_DO_RETURNS(cansm, request, *r = CanSM_RequestComMode(a->mode));

RDL_POST_RETURNS(cansm, current,
                 *r = s->state == ON ? COMM_FULL_COMMUNICATION : COMM_NO_COMMUNICATION);
RDL_DO_RETURNS(cansm, current, *r = CanSM_GetCurrentComMode());

RDL_ARGS(cansm, mode_indication, a->mode = rdl_chance(t, 0.9) ? CAN_CS_STARTED : CAN_CS_STOPPED);
RDL_POST(cansm, mode_indication, s->controller_runs = a->mode == CAN_CS_STARTED);
RDL_DO(cansm, mode_indication, CanSM_ControllerModeIndication(a->mode));

RDL_PRE(cansm, bus_off, s->state == STARTING || s->state == ON);
RDL_CALLOUTS(cansm, bus_off, rdl_call(cantp, mode_indication, CANIF_OFFLINE));

static void bus_off_post(struct cansm *s, const struct rdl_nothing *a)
{
    (void)a;
    s->state = WAITING;
    s->controller_runs = false;
    s->ticks = CANSM_TICKS_SHORT;
    if (s->bus_offs == CANSM_BUS_OFFS_MAX) {
        rdl_requirement("CanSM_R5");
        s->ticks = CANSM_TICKS_LONG;
    } else {
        s->bus_offs++;
    }
}

RDL_DO(cansm, bus_off, CanSM_ControllerBusOff());

/* ---- The main function -------------------------------------------------------------------- */

enum transition { NONE, STOP, START, GO_ON_LINE, TICK };

static enum transition transition_of(const struct cansm *s)
{
    bool wanted = s->requested == COMM_FULL_COMMUNICATION;

    if (s->state == OFF)
        return wanted ? START : NONE;
    if (!wanted)
        return STOP;
    if (s->state == STARTING && s->controller_runs)
        return GO_ON_LINE;
    if (s->state == WAITING)
        return s->ticks > 0 ? TICK : START;
    return NONE;
}

static void cycle_callouts(const struct cansm *s, const struct rdl_nothing *a)
{
    (void)a;
    switch (transition_of(s)) {
    case START:
        rdl_callouts(rdl_call_returns(canif, set_controller_mode, E_OK, CAN_CS_STARTED));
        break;
    case GO_ON_LINE:
        rdl_callouts(rdl_sequence(rdl_call_returns(canif, set_pdu_mode, E_OK, CANIF_ONLINE),
                                  rdl_call(cantp, mode_indication, CANIF_ONLINE),
                                  rdl_call(upper, com_mode, COMM_FULL_COMMUNICATION)));
        break;
    case STOP:
        rdl_callouts(rdl_sequence(
            s->state == ON
                ? rdl_sequence(rdl_call(cantp, mode_indication, CANIF_OFFLINE),
                               rdl_call_returns(canif, set_pdu_mode, E_OK, CANIF_OFFLINE))
                : rdl_no_calls,
            rdl_call_returns(canif, set_controller_mode, E_OK, CAN_CS_STOPPED),
            rdl_call(upper, com_mode, COMM_NO_COMMUNICATION)));
        break;
    default:
        break;
    }
}

static void cycle_post(struct cansm *s, const struct rdl_nothing *a)
{
    (void)a;
    switch (transition_of(s)) {
    case START:
        if (s->state == OFF)
            rdl_requirement("CanSM_R1");
        else
            rdl_requirement("CanSM_R4");
        s->state = STARTING;
        s->controller_runs = false;
        break;
    case GO_ON_LINE:
        rdl_requirement("CanSM_R2");
        s->state = ON;
        break;
    case STOP:
        rdl_requirement("CanSM_R3");
        s->state = OFF;
        s->bus_offs = 0;
        break;
    case TICK:
        s->ticks--;
        break;
    case NONE:
        break;
    }
}

RDL_DO(cansm, cycle, CanSM_MainFunction());

/* ---- All of it ---------------------------------------------------------------------------- */

static void *create(struct rdl_case *t, const struct cansm *s)
{
    (void)s;
    CanSM_Init();
    return t;
}

static bool is_on(const struct cansm *s)
{
    return s->state == ON;
}

static bool recovers(const struct cansm *s)
{
    return s->state == WAITING && s->ticks == 0;
}

RDL_OP_RETURNS(cansm, request, struct com_mode, Std_ReturnType, .callers = "test",
               .weigh = cansm_request_weigh, .args = cansm_request_args, .post = cansm_request_post,
               .call = cansm_request_call);
RDL_OP_RETURNS(cansm, current, struct rdl_nothing, ComM_ModeType, .callers = "test",
               .post = cansm_current_post, .call = cansm_current_call);
RDL_OP(cansm, cycle, struct rdl_nothing, .callers = "test", .weight = 6, .callouts = cycle_callouts,
       .post = cycle_post, .call = cansm_cycle_call);
RDL_OP(cansm, mode_indication, struct controller_mode, .mocks = "CanSM_ControllerModeIndication",
       .callers = "canif", .weight = 4, .args = cansm_mode_indication_args,
       .post = cansm_mode_indication_post, .call = cansm_mode_indication_call);
RDL_OP(cansm, bus_off, struct rdl_nothing, .mocks = "CanSM_ControllerBusOff", .callers = "canif",
       .pre = cansm_bus_off_pre, .callouts = cansm_bus_off_callouts, .post = bus_off_post,
       .call = cansm_bus_off_call);
RDL_SPEC(cansm, RDL_OPS(cansm, request, current, cycle, mode_indication, bus_off), .create = create,
         .interesting = {{"on", is_on}, {"about to start again after a bus-off", recovers}});
