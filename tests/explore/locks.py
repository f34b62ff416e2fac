"""Two locks, taken in opposite orders; with an argument, in the same one.  A set of
objects is there for its order, which is that of their addresses."""
import sys
import threading
import time

first, second = threading.Lock(), threading.Lock()


class Number:
    def __init__(self, value):
        self.value = value


def take(one, other):
    numbers = {Number(value) for value in range(20)}
    with one:
        for number in numbers:
            if number.value % 5 == 0:
                time.sleep(number.value / 1000)
        with other:
            pass


pairs = ((first, second), (first, second) if len(sys.argv) > 1 else (second, first))
threads = [threading.Thread(target=take, args=pair) for pair in pairs]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
