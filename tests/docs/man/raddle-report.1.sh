cc -o tests examples/text.c $(pkg-config --cflags --libs raddle)
