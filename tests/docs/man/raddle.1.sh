mkdir -p build/tests
cc -o build/tests/text examples/text.c $(pkg-config --cflags --libs raddle)
cc -o build/tests/reverse examples/reverse.c $(pkg-config --cflags --libs raddle)
cc -pthread -o bank "$SOURCE/docs/tutorials/explore/bank.c"
