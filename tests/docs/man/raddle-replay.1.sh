cp "$SOURCE/docs/tutorials/explore/bank.c" .
cc -pthread -o bank bank.c
mkdir release
cp bank release
echo rdl1../bank.AwFkAoCAQAPAmgwDA6sBAACrwyP0ig >bank-c323f48a.token
cc -g -o tests "$SOURCE/tests/zoo/schedules.c" $(pkg-config --cflags --libs raddle)
