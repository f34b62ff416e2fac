cp "$SOURCE/docs/tutorials/explore/bank.c" .
cc -pthread -o server-test bank.c
printf '%s\n' more words than one >words
