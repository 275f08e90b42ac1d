/* oxlint-disable typescript/no-explicit-any, typescript/no-unsafe-return, typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-argument -- replies are whatever the server sent */
import { Test } from '@nestjs/testing';
import type { INestApplication } from '@nestjs/common';
import { z } from 'zod';
import type { PrincipalInput } from '../../kernel/principal.js';
import { CapabilitiesModule } from '../../module/capabilities.module.js';
import { CapabilityPolicy } from '../../policies/capability-policy.js';
import { PrincipalResolver } from '../../policies/principal-resolver.js';
import { Capability } from '../../registry/capability.decorator.js';
import { CapabilityHost } from '../../registry/capability-host.decorator.js';
import { META } from '../../protocol/versions.js';
import { ApprovalLinks } from '../approval-links.js';
import { McpSurfaceModule } from './mcp-surface.module.js';

const ALICE: PrincipalInput = { id: 'alice', kind: 'user', user: {} };
const URL_MODE = { elicitation: { url: {} } };

class Alice extends PrincipalResolver {
  resolve(): PrincipalInput {
    return ALICE;
  }
  override reload(): PrincipalInput {
    return ALICE;
  }
}

class Everything extends CapabilityPolicy {
  userHasPermission(): boolean {
    return true;
  }
}

@CapabilityHost({ namespace: 'orders', expose: ['mcp'], risk: 'low', permission: 'orders:write' })
class Orders {
  @Capability.write({ description: 'Places an order.', inputSchema: z.object({}) })
  place(_input: object): string {
    return 'Placed.';
  }

  @Capability.write({
    description: 'Places an order for somebody else to allow.',
    inputSchema: z.object({}),
    approval: { required: true, by: 'another' },
  })
  large(_input: object): string {
    return 'Placed.';
  }
}

describe('a page where calls are decided', () => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [
        CapabilitiesModule.forRoot({ policy: Everything, principals: Alice }),
        McpSurfaceModule.forRoot({ version: '1.0.0' }),
      ],
      providers: [Orders],
    }).compile();
    app = testing.createNestApplication();
    await app.listen(0, '127.0.0.1');
    app
      .get(ApprovalLinks, { strict: false })
      .register(({ id }) => ({ decision: `https://console.example.com/approvals/${id}` }));
    url = `http://127.0.0.1:${new URL(await app.getUrl()).port}/mcp`;
  });
  afterAll(() => app.close());

  const post = async (
    name: string,
    capabilities: object,
    headers: Record<string, string> = {},
  ): Promise<any> => {
    const modern = headers['mcp-session-id'] === undefined;
    const meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: capabilities };
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(modern
          ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
          : {}),
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: {}, ...(modern ? { _meta: meta } : {}) },
      }),
    });
    return response.json();
  };

  it('is what a client that can visit pages is asked to visit', async () => {
    const { result } = await post('orders_place', URL_MODE);
    const [request] = Object.values<any>(result.inputRequests);

    expect(result.resultType).toBe('input_required');
    expect(request.method).toBe('elicitation/create');
    expect(request.params).toMatchObject({
      mode: 'url',
      url: expect.stringMatching(/^https:\/\/console\.example\.com\/approvals\/[0-9a-f-]{36}$/) as string,
    });
  });

  it('is an error of its own for clients of earlier revisions', async () => {
    const opened = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: URL_MODE,
          clientInfo: { name: 't', version: '1' },
        },
      }),
    });
    const session = opened.headers.get('mcp-session-id') ?? '';
    const { error } = await post('orders_place', {}, { 'mcp-session-id': session });

    expect(error.code).toBe(-32042);
    expect(error.data.elicitations).toEqual([
      expect.objectContaining({ mode: 'url', elicitationId: expect.any(String) as string }),
    ]);
  });

  it.each([
    ['a client that cannot visit pages', 'orders_place', { elicitation: {} }],
    ['a call that somebody else decides', 'orders_large', URL_MODE],
  ])('is named in the pending result for %s', async (_what, tool, capabilities) => {
    const { result } = await post(tool, capabilities);

    expect(result.resultType).toBe('complete');
    expect(result.structuredContent.status).toBe('approval_required');
    expect(result.content[0].text).toContain('https://console.example.com/approvals/');
  });

  it('is no page to visit while it is known only as a path', async () => {
    app.get(ApprovalLinks, { strict: false }).register(({ id }) => ({ decision: `/approvals/${id}/page` }));
    const { result } = await post('orders_place', URL_MODE);

    expect(result.resultType).toBe('complete');
    expect(result.structuredContent.links.decision).toMatch(/^\/approvals\/[0-9a-f-]{36}\/page$/);
  });
});
