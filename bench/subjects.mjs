// The same work done three ways: this library, a peer registry, and a bare parse + handler.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createCapabilityRuntime as createPeerRuntime } from '@automators/capabilities';
import {
  Capability,
  CapabilitiesModule,
  CapabilityHost,
  CapabilityPolicy,
  CapabilityRunner,
} from 'nest-capabilities';
import { z } from 'zod';

const oneField = z.object({ id: z.string() });
const tenFields = z.object({
  id: z.string(),
  title: z.string().max(200),
  count: z.number().int(),
  urgent: z.boolean(),
  state: z.enum(['open', 'closed']),
  tags: z.array(z.string()),
  customer: z.object({
    id: z.string(),
    name: z.string(),
    address: z.object({ city: z.string(), zip: z.string() }),
  }),
  lines: z.array(z.object({ sku: z.string(), quantity: z.number().int() })),
  note: z.string().optional(),
  score: z.number(),
});
const output = z.object({ id: z.string() });

export const SHAPES = {
  'one field': { schema: oneField, input: { id: 'o1' } },
  'ten fields, nested': {
    schema: tenFields,
    input: {
      id: 'o1',
      title: 'A parcel',
      count: 3,
      urgent: false,
      state: 'open',
      tags: ['a', 'b'],
      customer: { id: 'c1', name: 'Grace', address: { city: 'Bonn', zip: '53111' } },
      lines: [
        { sku: 's1', quantity: 1 },
        { sku: 's2', quantity: 2 },
      ],
      note: 'fragile',
      score: 0.5,
    },
  },
};

const user = { id: 'u1', appRoles: [], permissions: ['orders:read'] };
const holds = (who, permission) => who.permissions.includes(permission);
const handler = (input) => ({ id: input.id });

function decorate(target, key, decorator) {
  decorator(target, key, Object.getOwnPropertyDescriptor(target, key));
}

/** A host class with one capability over `schema`, declared as TypeScript would compile it. */
function hostOf(name, schema) {
  class Host {
    run(input) {
      return handler(input);
    }
  }
  const options = { name, description: 'Bench.', inputSchema: schema, outputSchema: output };
  decorate(Host.prototype, 'run', Capability.read(options));
  CapabilityHost({ expose: ['direct'], risk: 'low', permission: 'orders:read' })(Host);
  Injectable()(Host);
  return Host;
}

class BenchPolicy extends CapabilityPolicy {
  userHasPermission(who, permission) {
    return holds(who, permission);
  }
}

/** Boots everything and gives, per shape, the three ways to make one call. */
export async function prepareSubjects() {
  const shapes = Object.entries(SHAPES);
  const names = new Map(shapes.map(([shape], index) => [shape, `bench.shape${index}`]));
  class BenchModule {}
  Module({
    imports: [CapabilitiesModule.forRoot({ policy: BenchPolicy })],
    providers: shapes.map(([shape, { schema }]) => hostOf(names.get(shape), schema)),
  })(BenchModule);
  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
  const runner = app.get(CapabilityRunner);
  const principal = { id: 'u1', kind: 'user', user, permissions: user.permissions };
  const peer = createPeerRuntime({
    policy: { userHasPermission: holds },
    serverInfo: { name: 'bench', version: '1' },
  });

  const subjects = shapes.map(([shape, { schema, input }]) => {
    const name = names.get(shape);
    const capability = peer.defineCapability({
      name: name.replace('.', '_'),
      description: 'Bench.',
      inputSchema: schema,
      outputSchema: output,
      annotations: { readOnly: true, destructive: false },
      requiredPermission: 'orders:read',
      run: async (value) => handler(value),
    });
    return {
      shape,
      calls: {
        'nest-capabilities': async () => {
          const outcome = await runner.execute(name, input, { principal });
          if (outcome.status !== 'completed') throw new Error(`bench call failed: ${outcome.error?.message}`);
          return outcome.output;
        },
        '@automators/capabilities': () => peer.runCapability(capability, input, user),
        'parse + handler': async () => output.parse(await handler(schema.parse(input))),
      },
    };
  });
  return { subjects, close: () => app.close() };
}
