import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** A signed statement of where a tenant's chain stood. Carries the previous checkpoint's signature. */
export interface Checkpoint {
  readonly tenant: string;
  readonly seq: number;
  /** Hash of the row `seq`. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly keyId: string;
  /** Signature of the checkpoint before this one; null for the first. */
  readonly previous: string | null;
  /** Ed25519 over the other fields, base64url. */
  readonly signature: string;
}

/** Where checkpoints are kept, outside the audit table (port): another system, a write-once bucket, a file. */
export abstract class CheckpointAnchor {
  /** Resolves when the checkpoint is durable. */
  abstract publish(checkpoint: Checkpoint): Promise<void>;
  abstract latest(tenant: string): Promise<Checkpoint | undefined>;
}

const signedText = (c: Omit<Checkpoint, 'signature'>): Buffer =>
  Buffer.from(
    JSON.stringify(['nest-capabilities.checkpoint.v1', c.tenant, c.seq, c.hash, c.at, c.keyId, c.previous]),
  );

/** Checks checkpoints with public keys by key id; enough for an auditor. */
export class CheckpointVerifier {
  private readonly keys: ReadonlyMap<string, KeyObject>;

  /** @param publicKeys Ed25519 public keys (PEM or KeyObject) by key id. */
  constructor(publicKeys: Readonly<Record<string, string | KeyObject>>) {
    this.keys = new Map(
      Object.entries(publicKeys).map(([id, key]) => [
        id,
        typeof key === 'string' ? createPublicKey(key) : key,
      ]),
    );
  }

  /** True when a known key signed exactly this checkpoint. */
  valid(checkpoint: Checkpoint): boolean {
    const key = this.keys.get(checkpoint.keyId);
    if (key === undefined) return false;
    return verify(null, signedText(checkpoint), key, Buffer.from(checkpoint.signature, 'base64url'));
  }
}

/** Signs checkpoints with an Ed25519 private key (RFC 8032). */
export class CheckpointSigner {
  private readonly key: KeyObject;
  /** Checks what this signer signed. */
  readonly verifier: CheckpointVerifier;

  constructor(
    readonly keyId: string,
    privateKey: string | KeyObject,
  ) {
    this.key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey;
    this.verifier = new CheckpointVerifier({ [keyId]: createPublicKey(this.key) });
  }

  sign(statement: Pick<Checkpoint, 'tenant' | 'seq' | 'hash' | 'at' | 'previous'>): Checkpoint {
    const { tenant, seq, hash, at, previous } = statement;
    const unsigned = { tenant, seq, hash, at, keyId: this.keyId, previous };
    return { ...unsigned, signature: sign(null, signedText(unsigned), this.key).toString('base64url') };
  }
}
