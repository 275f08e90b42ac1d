import 'reflect-metadata';
import { Injectable, Module, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CapabilitiesModule, Capability, CapabilityHost } from 'nest-capabilities';
import { RestSurfaceModule } from 'nest-capabilities/rest';
import { z } from 'zod';

@Injectable()
class PassGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [request] = context.getArgs<[{ headers: Record<string, string> }]>();
    return request.headers['x-pass'] === 'yes';
  }
}

@Injectable()
@UseGuards(PassGuard)
@CapabilityHost({ namespace: 'sums', expose: ['rest'], risk: 'low', permission: null })
class SumsService {
  @Capability.read({
    description: 'Add two numbers.',
    inputSchema: z.object({ x: z.number(), y: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  })
  add(input: { x: number; y: number }): { sum: number; hidden: string } {
    return { sum: input.x + input.y, hidden: 'never leaves' };
  }
}

@Module({
  imports: [CapabilitiesModule.forRoot({}), RestSurfaceModule.forRoot()],
  providers: [SumsService, PassGuard],
})
class AppModule {}

export interface Reply {
  status: number;
  body: unknown;
}

/** Serves the capability over HTTP and calls it with the guard's pass, without it, and with bad input. */
export async function probe(): Promise<Record<'allowed' | 'refused' | 'invalid', Reply>> {
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/capabilities/sums.add`;
  const call = async (body: unknown, headers: Record<string, string>): Promise<Reply> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  try {
    return {
      allowed: await call({ x: 2, y: 3 }, { 'x-pass': 'yes' }),
      refused: await call({ x: 2, y: 3 }, {}),
      invalid: await call({ x: 'two', y: 3 }, { 'x-pass': 'yes' }),
    };
  } finally {
    await app.close();
  }
}
