import {
  Body,
  Controller,
  Headers,
  HttpException,
  Inject,
  type MessageEvent,
  Req,
  RequestMethod,
  Sse,
} from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import {
  capabilityFailure,
  CapabilityError,
  type PrincipalInput,
  PrincipalResolver,
} from 'nest-capabilities';
import { AssistantService, type LanguageModelLike, type TurnEvent } from 'nest-capabilities/assistant';
import { finalize, from, map, type Observable } from 'rxjs';
import { ChatRequest, chatRequest } from './chat-request.js';
import { DESK_MODEL } from './desk-model.js';

const INSTRUCTIONS =
  'You work at a support desk. Amounts are in cents. When a call is denied, do not repeat it.';

/** A chat as a stream of events. The conversation is kept here; a client sends what its user says. */
@ApiTags('assistant')
@ApiBearerAuth()
@Controller('assistant')
export class AssistantController {
  constructor(
    private readonly assistant: AssistantService,
    @Inject(PrincipalResolver) private readonly principals: PrincipalResolver,
    @Inject(DESK_MODEL) private readonly model: LanguageModelLike,
  ) {}

  @Sse('messages', { method: RequestMethod.POST })
  @ApiBody({ type: ChatRequest })
  async messages(
    @Body() body: unknown,
    @Headers('authorization') authorization: string | undefined,
    @Req() request: unknown,
  ): Promise<Observable<MessageEvent>> {
    const abort = new AbortController();
    try {
      const principal = await this.principalOf(authorization, request);
      const events = await this.turn(principal, chatRequest(body), abort.signal);
      return from(events).pipe(
        map((event): MessageEvent => ({ type: event.type, data: event })),
        finalize(() => abort.abort()),
      );
    } catch (error) {
      throw asHttp(error);
    }
  }

  /** Runs up to the first event, so that a refusal is still an HTTP status. */
  private async turn(
    principal: PrincipalInput,
    { conversation, messages }: ChatRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<ChatEvent>> {
    const known = conversation === undefined ? {} : { conversation };
    const { text } = await this.assistant.receive(principal, messages, known);
    if (text === undefined && conversation === undefined) {
      const message = 'The last message must be what the user says.';
      throw new CapabilityError('INPUT_INVALID', { message, field: 'messages' });
    }
    const events = this.assistant.stream(principal, {
      ...known,
      ...(text === undefined ? {} : { message: text }),
      model: this.model,
      system: INSTRUCTIONS,
      signal,
    });
    return beginning(await events.next(), events);
  }

  private async principalOf(authorization: string | undefined, request: unknown): Promise<PrincipalInput> {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new CapabilityError('UNAUTHENTICATED');
    const principal = await Promise.resolve(
      this.principals.resolve({ surface: 'assistant', request, token }),
    ).catch(() => null);
    if (principal === null) throw new CapabilityError('UNAUTHENTICATED');
    return principal;
  }
}

type ChatEvent = TurnEvent | ({ readonly type: 'error' } & ReturnType<typeof capabilityFailure>);

async function* beginning(
  first: IteratorResult<TurnEvent>,
  rest: AsyncGenerator<TurnEvent>,
): AsyncGenerator<ChatEvent> {
  try {
    if (first.done !== true) yield first.value;
    yield* rest;
  } catch (error) {
    yield { type: 'error', ...capabilityFailure(error) };
  } finally {
    await rest.return(undefined);
  }
}

function asHttp(error: unknown): unknown {
  if (!(error instanceof CapabilityError)) return error;
  return new HttpException(capabilityFailure(error), error.status);
}
