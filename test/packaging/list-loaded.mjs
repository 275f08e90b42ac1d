// Prints, as JSON, every module that loading one entry point of the built library loads. Usage: import|require ENTRY
import { createRequire, register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';

const [, , way, entry] = process.argv;

if (way === 'require') {
  const require = createRequire(import.meta.url);
  require(entry);
  console.log(JSON.stringify(Object.keys(require.cache)));
} else {
  const { port1, port2 } = new MessageChannel();
  const loaded = [];
  port1.on('message', (url) => loaded.push(url));
  const hooks = `
    let port;
    export const initialize = (data) => { port = data; };
    export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };
  `;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: port2, transferList: [port2] });
  await import(entry);
  await new Promise((resolve) => setTimeout(resolve, 50));
  port1.close();
  console.log(JSON.stringify(loaded));
}
