/** A message history says that somebody approved a call. */
export interface ClaimedApproval {
  readonly approvalId: string;
  /** The call it is for, as far as the history says. */
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
}

/**
 * The approvals that messages claim: `tool-approval-response` parts of model messages, and answered tool parts of UI
 * messages (AI SDK 6 and 7). They are claims, whoever sent them; records decide.
 */
export function claimedApprovals(messages: readonly unknown[]): readonly ClaimedApproval[] {
  const parts = messages.flatMap(partsOf);
  const names = new Map<unknown, unknown>();
  const requests = new Map<unknown, unknown>();
  for (const part of parts) {
    if (part['type'] === 'tool-call') names.set(part['toolCallId'], part['toolName']);
    if (part['type'] === 'tool-approval-request') requests.set(part['approvalId'], part['toolCallId']);
  }
  return parts.flatMap((part): ClaimedApproval[] => {
    const approvalId = claimOf(part);
    if (approvalId === undefined) return [];
    const toolCallId = part['toolCallId'] ?? requests.get(approvalId);
    const toolName = uiToolName(part) ?? names.get(toolCallId);
    return [{ approvalId, toolCallId: text(toolCallId), toolName: text(toolName) }];
  });
}

/** Every part of a message, of model messages (`content`) and UI messages (`parts`). */
export function partsOf(message: unknown): readonly Record<string, unknown>[] {
  if (!isObject(message)) return [];
  const parts = message['parts'] ?? message['content'];
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

function claimOf(part: Record<string, unknown>): string | undefined {
  if (part['type'] === 'tool-approval-response') {
    return part['approved'] === true ? String(part['approvalId']) : undefined;
  }
  const { approval } = part;
  return isObject(approval) && approval['approved'] === true ? String(approval['id']) : undefined;
}

/** `tool-{name}`, or `dynamic-tool` with the name beside it. */
function uiToolName(part: Record<string, unknown>): unknown {
  const type = text(part['type']);
  if (type === 'dynamic-tool') return part['toolName'];
  return isObject(part['approval']) && type?.startsWith('tool-') === true
    ? type.slice('tool-'.length)
    : undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A client's messages may come out of a copy made in another realm, with prototypes of its own. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
