%% model_proper.erl -- the same for PropEr: `WHAT RUNS TESTS MAX_SIZE`.
%%
%% What is tested is written in Erlang, so that no C interface is between the two: a ring
%% in an array of atomics.  This PropEr takes no seed: each run starts from another one.
-module(model_proper).
-behaviour(proper_statem).
-export([main/1]).
-export([initial_state/0, command/1, precondition/2, postcondition/3, next_state/3]).
-export([ring_new/1, ring_put/1, ring_get/0]).
-include_lib("proper/include/proper.hrl").

-define(CASES, 1).
-define(COMMANDS, 2).
-define(FIRST, 3).        % the number of the first failing run
-define(FAILED_AT, 4).    % CPU time at it, in milliseconds
-define(FIRST_LENGTH, 5).

%% ---- The ring: first, count and size come before its values ----

-define(HEAD, 3).

ring_new(Size) ->
    Ring = atomics:new(?HEAD + Size, []),
    atomics:put(Ring, 3, min(Size, persistent_term:get(most))),
    put(ring, Ring),
    ok.

ring_put(Value) ->
    add(?COMMANDS, 1),
    Ring = get(ring),
    Count = atomics:get(Ring, 2),
    case atomics:get(Ring, 3) of
        Count -> false;
        Size ->
            At = (atomics:get(Ring, 1) + Count) rem Size,
            atomics:put(Ring, ?HEAD + 1 + At, Value),
            atomics:put(Ring, 2, Count + 1),
            true
    end.

ring_get() ->
    add(?COMMANDS, 1),
    Ring = get(ring),
    case atomics:get(Ring, 2) of
        0 -> -1;
        Count ->
            First = atomics:get(Ring, 1),
            atomics:put(Ring, 1, (First + 1) rem atomics:get(Ring, 3)),
            atomics:put(Ring, 2, Count - 1),
            atomics:get(Ring, ?HEAD + 1 + First)
    end.

%% ---- The model: how large, how full, and what is in it ----

initial_state() -> none.

command(none) ->
    {call, ?MODULE, ring_new, [integer(1, persistent_term:get(largest))]};
command(_) ->
    Put = {call, ?MODULE, ring_put, [integer(0, 255)]},
    Get = {call, ?MODULE, ring_get, []},
    frequency([{persistent_term:get(puts), Put}, {1, Get}]).

precondition(none, {call, _, What, _}) -> What =:= ring_new;
precondition(_, {call, _, What, _}) -> What =/= ring_new.

next_state(none, _, {call, _, ring_new, [Size]}) ->
    {Size, 0, queue:new()};
next_state({Size, Count, Items}, _, {call, _, ring_put, [Value]}) when Count < Size ->
    {Size, Count + 1, queue:in(Value, Items)};
next_state({Size, Count, Items}, _, {call, _, ring_get, []}) when Count > 0 ->
    {Size, Count - 1, queue:drop(Items)};
next_state(State, _, _) ->
    State.

postcondition(none, _, _) ->
    true;
postcondition({Size, Count, _}, {call, _, ring_put, _}, Result) ->
    Result =:= (Count < Size);
postcondition({_, 0, _}, {call, _, ring_get, _}, Result) ->
    Result =:= -1;
postcondition({_, _, Items}, {call, _, ring_get, _}, Result) ->
    Result =:= queue:get(Items).

%% ---- Running it ----

counter() -> persistent_term:get(counter).
count(What) -> counters:get(counter(), What).
add(What, N) -> counters:add(counter(), What, N).
cpu_ms() -> element(1, statistics(runtime)).

main([What, Runs, Tests, MaxSize]) ->
    Options = [quiet, {numtests, list_to_integer(Tests)}, {max_size, list_to_integer(MaxSize)}],
    [run(What, Options) || _ <- lists:seq(1, list_to_integer(Runs))].

run(What, Options) ->
    persistent_term:put(counter, counters:new(5, [])),
    {Largest, Puts, Most} = case What of
        "basic" -> {16, 1, 16};
        "large" -> {256, 5, 256};
        "small" -> {256, 5, 128}
    end,
    persistent_term:put(largest, Largest),
    persistent_term:put(puts, Puts),
    persistent_term:put(most, Most),
    Before = cpu_ms(),
    Passed = proper:quickcheck(property(), Options),
    After = cpu_ms(),
    io:format("cases=~b commands=~b cpu=~.6f", [count(?CASES), count(?COMMANDS),
                                              (After - Before) / 1000]),
    Passed orelse tell_failure(proper:counterexample(), After),
    io:format("~n").

property() ->
    ?FORALL(Commands, proper_statem:commands(?MODULE),
            begin
                add(?CASES, 1),
                {_, _, Result} = proper_statem:run_commands(?MODULE, Commands),
                judge(Result =:= ok, Commands)
            end).

judge(Holds, Commands) ->
    case Holds orelse count(?FIRST) > 0 of
        true -> ok;
        false ->
            add(?FIRST, count(?CASES)),
            add(?FIRST_LENGTH, length(Commands) - 1),
            add(?FAILED_AT, cpu_ms())
    end,
    Holds.

%% The first of the commands makes the ring.
tell_failure([[{set, _, {call, _, ring_new, [Size]}} | Commands]], After) ->
    Values = [V || {set, _, {call, _, ring_put, [V]}} <- Commands, V =/= 0],
    io:format(" found_at=~b first_length=~b shrink_runs=~b shrink_cpu=~.6f length=~b size=~b "
              "values=~b",
              [count(?FIRST), count(?FIRST_LENGTH), count(?CASES) - count(?FIRST),
               (After - count(?FAILED_AT)) / 1000, length(Commands), Size, length(Values)]).
