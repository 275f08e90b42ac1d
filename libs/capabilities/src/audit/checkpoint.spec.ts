import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileCheckpointAnchor } from './checkpoint-file.js';
import { CheckpointSigner, CheckpointVerifier } from './checkpoint.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const signer = new CheckpointSigner('key-1', pem);
const statement = { tenant: 't1', seq: 5, hash: 'a'.repeat(64), at: 1_000, previous: null };

describe('checkpoints', () => {
  it('verify with the public key alone, and with no change to any field', () => {
    const verifier = new CheckpointVerifier({ 'key-1': publicKey });
    const checkpoint = signer.sign(statement);
    expect(verifier.valid(checkpoint)).toBe(true);
    for (const change of [
      { tenant: 't2' },
      { seq: 6 },
      { hash: 'b'.repeat(64) },
      { at: 1 },
      { previous: 'x' },
      { keyId: 'key-2' },
    ]) {
      expect(verifier.valid({ ...checkpoint, ...change })).toBe(false);
    }
    expect(verifier.valid({ ...checkpoint, signature: 'AAAA' })).toBe(false);
    const { publicKey: stranger } = generateKeyPairSync('ed25519');
    expect(new CheckpointVerifier({ 'key-1': stranger }).valid(checkpoint)).toBe(false);
  });

  it('are kept in a file, the latest of each tenant found again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'capabilities-'));
    const path = join(folder, 'checkpoints.jsonl');
    const anchor = new FileCheckpointAnchor(path);
    expect(await anchor.latest('t1')).toBeUndefined();
    const [first, second] = [signer.sign(statement), signer.sign({ ...statement, seq: 9 })];
    await anchor.publish(first);
    await anchor.publish(second);
    await anchor.publish(signer.sign({ ...statement, tenant: 't2' }));
    expect(await anchor.latest('t1')).toEqual(second);
    await writeFile(path, 'damaged\n');
    await expect(anchor.latest('t1')).rejects.toThrow();
    await rm(folder, { recursive: true });
  });
});
