import { open, readFile } from 'node:fs/promises';
import { type Checkpoint, CheckpointAnchor } from './checkpoint.js';

/** Keeps checkpoints as JSON lines in a file, which belongs on another machine's or a write-once volume. */
export class FileCheckpointAnchor extends CheckpointAnchor {
  constructor(private readonly path: string) {
    super();
  }

  async publish(checkpoint: Checkpoint): Promise<void> {
    const file = await open(this.path, 'a', 0o600);
    try {
      await file.appendFile(`${JSON.stringify(checkpoint)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async latest(tenant: string): Promise<Checkpoint | undefined> {
    const lines = (await this.read()).split('\n').filter((line) => line !== '');
    const checkpoints = lines.map((line) => JSON.parse(line) as Checkpoint);
    return checkpoints.findLast((checkpoint) => checkpoint.tenant === tenant);
  }

  /** No file yet is no checkpoint; any other fault is thrown. */
  private async read(): Promise<string> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }
}
