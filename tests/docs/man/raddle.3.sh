cp examples/reverse.c tests.c
