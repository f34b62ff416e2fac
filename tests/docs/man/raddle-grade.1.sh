mkdir solutions
cp examples/warehouse/implementations/conditions.c solutions/miller.c
cp examples/warehouse/implementations/forgets_to_unlock.c solutions/smith.c
