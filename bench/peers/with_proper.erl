%% with_proper.erl -- the same for PropEr: `throughput N`, or `PROBLEM RUNS` to shrink.
%%
%% This PropEr takes no seed: each run starts from another one of its own.
-module(with_proper).
-export([main/1]).
-include_lib("proper/include/proper.hrl").

-define(INT, integer(-2147483648, 2147483647)).
-define(RUNS, 1).
-define(INTS, 2).
-define(FIRST, 3).        % the number of the first failing run
-define(FAILED_AT, 4).    % when that was, in microseconds
-define(FIRST_LENGTH, 5).

%% PropEr may run a property in another process: what we count is global.
counter() -> persistent_term:get(counter).
count(What) -> counters:get(counter(), What).
add(What, N) -> counters:add(counter(), What, N).
clear() -> persistent_term:put(counter, counters:new(5, [])).

main(["throughput", N]) ->
    clear(),
    Prop = ?FORALL(Xs, list(?INT),
                   begin
                       add(?RUNS, 1),
                       add(?INTS, length(Xs)),
                       lists:reverse(lists:reverse(Xs)) =:= Xs
                   end),
    {Before, _} = statistics(runtime),
    true = proper:quickcheck(Prop, [quiet, {numtests, list_to_integer(N)}, {max_size, 100}]),
    {After, _} = statistics(runtime),
    io:format("cases=~b ints=~b cpu=~.6f~n", [count(?RUNS), count(?INTS), (After - Before) / 1000]);
main([Problem, Runs]) ->
    [shrink(Problem) || _ <- lists:seq(1, list_to_integer(Runs))].

shrink(Problem) ->
    clear(),
    false = proper:quickcheck(problem(Problem), [quiet, {numtests, 10000}, {max_size, 100}]),
    [Result] = proper:counterexample(),
    Took = erlang:monotonic_time(microsecond) - count(?FAILED_AT),
    io:format("shrink_runs=~b shrink_wall=~.6f first_length=~b result=~w~n",
              [count(?RUNS) - count(?FIRST), Took / 1.0e6, count(?FIRST_LENGTH), Result]).

judge(Holds, Length) ->
    add(?RUNS, 1),
    case Holds orelse count(?FIRST) > 0 of
        true -> ok;
        false ->
            add(?FIRST, count(?RUNS)),
            add(?FIRST_LENGTH, Length),
            add(?FAILED_AT, erlang:monotonic_time(microsecond))
    end,
    Holds.

problem("reverse") ->
    ?FORALL(Xs, list(?INT), judge(lists:reverse(Xs) =:= Xs, length(Xs)));
problem("large") ->
    ?FORALL(Xs, list(integer(0, 1000000)),
            judge(lists:all(fun(X) -> X < 900 end, Xs), length(Xs)));
problem("length") ->
    ?FORALL(Xs, list(?INT), judge(length(Xs) < 10, length(Xs)));
problem("pair") ->
    ?FORALL(Xs, list(integer(0, 200)), judge(not has_pair(Xs), length(Xs)));
problem("sum") ->
    ?FORALL(Xs, list(integer(0, 400)), judge(lists:sum(Xs) < 1000, length(Xs)));
problem("nested") ->
    ?FORALL(Xss, list(list(?INT)),
            begin
                Total = lists:sum([length(Xs) || Xs <- Xss]),
                judge(Total =< 10, Total)
            end).

has_pair([X | Xs]) when X > 7 -> lists:member(X, Xs) orelse has_pair(Xs);
has_pair([_ | Xs]) -> has_pair(Xs);
has_pair([]) -> false.
