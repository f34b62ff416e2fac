cp "$SOURCE/docs/events/log.c" watch.c
cat >events.jsonl <<'END'
{"port":"net","dir":"out","type":"hello","time":12.5}
{"port":"net","dir":"out","type":"ping","data":{"id":1},"time":12.6}
{"port":"net","dir":"in","type":"pong","data":{"id":4},"time":12.9}
END
cat >service.log <<'END'
{"host":"a","port":"net","dir":"out","type":"hello","data":{"name":"watcher"}}
{"host":"a","port":"net","dir":"out","type":"ping","data":{"id":1}}
END
