import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RoundRobin {
  readonly url: string;
  /** Requests so far, by server. */
  readonly served: readonly number[];
  close(): Promise<void>;
}

/** A proxy that gives every request to the next server, whatever is in it. */
export async function roundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const served = ports.map(() => 0);
  let turn = 0;
  const proxy = createServer((incoming, outgoing) => {
    const index = turn++ % ports.length;
    served[index]!++;
    const { method, headers, url: path } = incoming;
    const forwarded = request(
      { host: '127.0.0.1', port: ports[index], method, path, headers, agent: false },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    served,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
