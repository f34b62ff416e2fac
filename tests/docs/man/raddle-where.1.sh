cp -r "$SOURCE"/tests/locate/* .
cc -O0 -o reader reader.c a/other.c b/other.c
