#!/usr/bin/env bash
# Follows one product of the demo shop from the feed to an attributed sale, with curl alone.
# Needs `make run` in another terminal, with the same DATA_DIR and HTTP_PORT. Every command is shown before it runs.
set -euo pipefail
BASE=${BASE:-http://127.0.0.1:${HTTP_PORT:-8080}}
TOKEN_FILE=${DATA_DIR:-data}/bootstrap-token
fail() { echo "$1: start the demo first (make run), with the same DATA_DIR and HTTP_PORT." >&2; exit 1; }
[ -n "${TOKEN:-}" ] || [ -r "$TOKEN_FILE" ] || fail "$TOKEN_FILE cannot be read"
TOKEN=${TOKEN:-$(cat "$TOKEN_FILE")}
curl -fs "$BASE/health/live" >/dev/null || fail "Nothing answers at $BASE"
ME="visitor-$RANDOM$RANDOM"
ORDER="order-$RANDOM$RANDOM"

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
# Shows a command, runs it, shows its answer (indented, the first 36 lines) and keeps it in $ANSWER.
run() {
  printf '$ %s\n' "${*//$TOKEN/\$TOKEN}"
  ANSWER=$(eval "$*")
  node -e 'console.log(JSON.stringify(JSON.parse(process.argv[1]), null, 1).split("\n").slice(0, 36).join("\n"))' "$ANSWER"
}
# Reads a JavaScript path out of the last answer.
pick() { node -p "JSON.parse(process.argv[1])$1" "$ANSWER"; }
AUTH="-H 'authorization: Bearer $TOKEN'"
JSON="-H 'content-type: application/json'"

step '1. The shop, and its ad unit for search pages'
run "curl -s $BASE/v1/panel/shops $AUTH"
SHOP=$(pick .items.find\(s=\>s.name===\'Northwind\ Market\'\).id)
run "curl -s '$BASE/v1/panel/ad-units?shopId=$SHOP&limit=100' $AUTH"
SLOT=$(pick ".items.find(u=>u.algorithm==='CONTEXT_MATCH').slotHash")

step '2. A product that came in by the XML feed, and whether it can be shown'
run "curl -s '$BASE/v1/panel/products?shopId=$SHOP&q=noise%20cancelling%20headphones&available=true&limit=1' $AUTH"

step '3. A shopper searches: which ads?'
run "curl -s $BASE/v1/dsa/raw/batch $JSON -H 'cid: $ME' -d '{\"targeting\":[{\"slotHash\":\"$SLOT\",\"adCount\":2,\"searchData\":\"noise cancelling headphones\"}]}'"
SHOW=$(pick .data[0].ads[0].showId)
PRODUCT=$(pick .data[0].ads[0].shopProductId)
PRICE=$(pick .data[0].ads[0].productPrice)
REQUEST=$(pick .data[0].ads[0].requestId)

step '4. Who paid for this ad?'
run "curl -s $BASE/v1/dsa/emissionInfo $JSON -d '{\"showId\":\"$SHOW\"}'"

step '5. The shopper sees it, clicks it, buys it'
run "curl -s $BASE/v1/dsa/view-event $JSON -H 'cid: $ME' -d '{\"showId\":\"$SHOW\"}'"
run "curl -s $BASE/v1/dsa/click-event $JSON -H 'cid: $ME' -d '{\"showId\":\"$SHOW\"}'"
run "curl -s $BASE/v1/ev/transaction $JSON -H 'cid: $ME' -d '{\"eventId\":\"$ORDER\",\"kind\":\"PURCHASE\",\"shopId\":\"$SHOP\",\"currency\":\"EUR\",\"products\":[{\"shopProductId\":\"$PRODUCT\",\"price\":$PRICE,\"quantity\":1}]}'"

step '6. A few seconds later the sale is attributed, and says why'
for _ in $(seq 40); do
  curl -fs "$BASE/v1/panel/explain/attribution/$ORDER?shopId=$SHOP" -H "authorization: Bearer $TOKEN" 2>/dev/null | grep -q CREDITED && break
  sleep 0.5
done
run "curl -s '$BASE/v1/panel/explain/attribution/$ORDER?shopId=$SHOP' $AUTH"

step '7. Why this ad and not another'
run "curl -s $BASE/v1/panel/explain/emission/$REQUEST $AUTH"

step '8. What the campaigns earned today, and whether every event is accounted for'
TODAY=$(date -u +%F) TOMORROW=$(date -u -d tomorrow +%F)
run "curl -s '$BASE/v1/panel/reports?shopId=$SHOP&from=$TODAY&to=$TOMORROW&groupBy=campaign&metrics=views,clicks,spend,purchases,revenue,roas' $AUTH"
run "curl -s $BASE/v1/panel/audit $AUTH"
