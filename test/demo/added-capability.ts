import { Injectable, Module } from '@nestjs/common';
import { Capability, CapabilityHost } from 'nest-capabilities';
import { z } from 'zod';

@Injectable()
@CapabilityHost({ namespace: 'added', permission: 'documents:read' })
class AddedService {
  @Capability.read({
    description: 'Reverse a text.',
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ text: z.string() }),
  })
  reverse(input: { text: string }): { text: string } {
    return { text: input.text.split('').reverse().join('') };
  }
}

/** One more capability, added by nothing but its class. */
@Module({ providers: [AddedService] })
export class AddedModule {}
