# The battery's shell functions. Source it in a folder that `npm run battery:serve` prepared: bash, curl and jq.
# `N=…` overrides the Mcp-Name header of `mcp`, `M=…` adds members to its `_meta`.
B=${B:-http://127.0.0.1:3000}
tok(){ cat .tokens/$1; }
H='content-type: application/json'
call(){ w=$1 c=$2 b=$3; shift 3; curl -sS -m20 -w '\n%{http_code}\n' -XPOST $B/capabilities/$c -H "authorization: Bearer $(tok $w)" -H "$H" "$@" --data-binary "$b"; }
mcp(){ w=$1 t=${2//./_} a=$3; shift 3; curl -sS -m20 -w '\n%{http_code}\n' -XPOST $B/mcp -H "authorization: Bearer $(tok $w)" -H "$H" -H 'accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H "Mcp-Name: ${N:-$t}" "$@" --data-binary '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'$t'","arguments":'"$a"',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'"${M:+,$M}"'}}}'; }
dec(){ curl -sS -w '\n%{http_code}\n' -XPOST $B/approvals/$2/decision -H "authorization: Bearer $(tok $1)" -H "$H" -d "{\"decision\":\"$3\"}"; }
res(){ curl -sS -w '\n%{http_code}\n' -XPOST $B/approvals/$2/execute -H "authorization: Bearer $(tok $1)" -H "$H" -d "${3:-{\}}"; }
eff(){ curl -s $B/__test/effects/$1; }
ask(){ call alice refund.issue "${1:-{\"orderId\":\"o1\",\"amount\":500,\"currency\":\"USD\"\}}" | head -1 | jq -r .approvalId; }
run(){ node --input-type=module -e "import {t} from './harness.mjs'; $1"; }
