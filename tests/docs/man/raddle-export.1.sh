. "$SOURCE/tests/docs/man/raddle-tests.1.sh"
./tests --filter =deposits_add_up >report || true
grep -o 'rdl1[^ ]*' tests.raddle >deposits.token
cp -r examples/warehouse .
cp warehouse/implementations/if_instead_of_while.c mine.c
raddle grade --spec warehouse mine.c >report || true
grep -o 'rdl1[^ ]*' report | head -n 1 >robots.token
cp "$SOURCE/docs/tutorials/explore/bank.c" .
cc -pthread -o bank bank.c
