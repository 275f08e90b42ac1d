import { isRecord } from '../kernel/json.js';
import { isReadOnly } from '../registry/capability-definition.js';
import type { CallSite } from './call-site.js';
import { asCapabilities, undeclared } from './client-features.js';
import { runCall, type GovernedCall } from './governed-call.js';
import type { McpServer } from './mcp-server.js';
import { MultiRound } from './multi-round.js';
import { paramHeaderProblem } from './param-headers.js';
import { invalidParams, missingClientCapability } from './rpc-error.js';
import { startTask } from './tasks/start-task.js';
import { declaresTasks, tasksMissing } from './tasks/tasks-extension.js';
import type { ToolEntry } from './tool-entry.js';
import { toolReply } from './tool-reply.js';

/** `tools/call`. Resolves to the serialized result; throws {@link RpcError} for what is no result. */
export async function callTool(server: McpServer, site: CallSite): Promise<string> {
  const { name, arguments: args } = site.call.params;
  if (typeof name !== 'string') throw invalidParams('params.name must be a string');
  const entry = server.tools.get(name);
  const rounds = new MultiRound(server, site);
  const governed: GovernedCall = {
    name: entry?.definition.name ?? server.unknownName(name),
    site,
    client: rounds.channel,
    confirmer: rounds.decision,
    reads: entry !== undefined && isReadOnly(entry.definition),
    prepare: async () => {
      if (entry === undefined) return;
      if (!isArguments(args)) throw invalidParams('params.arguments must be an object');
      checkEnvelope(entry, site, args);
      await rounds.redeem(entry.definition);
    },
    input: () => args,
  };
  if (entry !== undefined && runsAsTask(entry, site, rounds)) {
    return startTask(server, entry, { site, args: isRecord(args) ? args : {}, governed, rounds });
  }
  const outcome = await runCall(server.runner, governed, server.ports.challenge);
  return toolReply(server, site, entry, rounds, outcome);
}

/** Left out, they are an empty object. Judged once access was granted: a refusal says nothing about the input. */
function isArguments(args: unknown): boolean {
  return args === undefined || isRecord(args);
}

/** A tool that asks first runs as a task once it was answered. */
function runsAsTask(entry: ToolEntry, site: CallSite, rounds: MultiRound): boolean {
  if (entry.task === undefined || !declaresTasks(site)) return false;
  return entry.definition.mcp.taskInput !== 'before' || rounds.isRetry;
}

/** What a known tool demands of the request. Throws {@link RpcError} −32020 or −32021. */
function checkEnvelope(entry: ToolEntry, site: CallSite, args: unknown): void {
  if (site.era === 'legacy') return;
  const { headers } = site.exchange;
  const mismatch = headers === undefined ? undefined : paramHeaderProblem(entry.params, args, headers);
  if (mismatch !== undefined) throw mismatch;
  if (entry.task === 'required' && !declaresTasks(site)) throw tasksMissing();
  const missing = undeclared(site.meta.clientCapabilities, entry.requires);
  if (missing.length > 0) throw missingClientCapability(asCapabilities(missing));
}
