import { Injectable } from '@nestjs/common';
import { Capability, CapabilityHost } from 'nest-capabilities';
import { z } from 'zod';
import { DeskData } from '../data/desk-data.js';

const OpeningHours = z.object({ monday: z.string(), saturday: z.string() });

@Injectable()
@CapabilityHost({ namespace: 'desk', tags: ['desk'] })
export class DeskService {
  constructor(private readonly data: DeskData) {}

  @Capability({
    description: 'When the desk is open. Anyone may ask.',
    sideEffect: 'none',
    permission: null,
    outputSchema: OpeningHours,
  })
  openingHours(): z.input<typeof OpeningHours> {
    return this.data.openingHours;
  }
}
