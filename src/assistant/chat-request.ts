import { ApiProperty } from '@nestjs/swagger';
import { CapabilityError } from 'nest-capabilities';

/** What a chat client sends. */
export class ChatRequest {
  @ApiProperty({
    required: false,
    description: 'The conversation to go on with. Without it, a new one begins.',
  })
  conversation?: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'Messages of the AI SDK. The last one counts, when the user says it.',
    example: [{ role: 'user', content: 'orders_find {"orderId":"ord_1001"}' }],
  })
  messages!: readonly unknown[];
}

/** Throws INPUT_INVALID. */
export function chatRequest(body: unknown): ChatRequest {
  const { conversation, messages = [] } = (body ?? {}) as { conversation?: unknown; messages?: unknown };
  if (conversation !== undefined && typeof conversation !== 'string') throw invalid('conversation');
  if (!Array.isArray(messages)) throw invalid('messages');
  return { messages, ...(conversation === undefined ? {} : { conversation }) };
}

function invalid(field: string): CapabilityError {
  return new CapabilityError('INPUT_INVALID', { message: `The field ${field} is not valid.`, field });
}
