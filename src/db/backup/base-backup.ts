import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import pg from 'pg';
import { pack } from 'tar-stream';
import type { ConnectionSettings } from '../pool.ts';

export const MANIFEST = 'backup_manifest';

/** What PostgreSQL says of the backup that it made. */
export interface BaseBackup {
  /** Positions in the write-ahead log where the backup begins and ends. It holds everything that was committed before its end. */
  start_lsn: string;
  end_lsn: string;
  timeline: number;
  /** The first WAL file that a recovery from this backup reads. */
  first_wal: string;
}

export interface BaseBackupOptions {
  /** At most so many megabytes per second; without a limit, as fast as the disk and the reader allow. */
  maxRate?: number;
  /** Called with the bytes read so far and the approximate total. */
  onProgress?: (done: number, total: number) => void;
  /** Ends the backup. */
  signal?: AbortSignal;
}

const MIB = 1024 ** 2;
/** Two empty blocks end a tar archive. */
const END = Buffer.alloc(1024);
/** Size of a WAL segment in the embedded cluster. */
const SEGMENT_BYTES = 16n * 1024n ** 2n;

/**
 * Takes an online backup of a whole cluster by PostgreSQL's replication protocol. The archive is a tar of the cluster's
 * folder, with the WAL that makes it consistent and, as its last file, the manifest with each file's checksum: the same
 * as `pg_basebackup --format=tar --wal-method=fetch` writes. Memory is a few chunks and the manifest.
 * @param connection of a superuser, or a role with REPLICATION
 * See docs/design/backups.md.
 */
export async function takeBaseBackup(
  connection: ConnectionSettings,
  options: BaseBackupOptions,
): Promise<{ archive: Readable; summary: Promise<BaseBackup> }> {
  const settings: ConnectionSettings & { replication: string } = { ...connection, replication: 'true' };
  const client = new pg.Client(settings);
  client.on('error', () => {});
  await client.connect();
  try {
    // The slot is dropped with the connection. Until then the server recycles no WAL segment that the backup needs.
    const slot = `tradeloom_backup_${process.pid}`;
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL)`);
  } catch (error) {
    await client.end();
    throw error;
  }
  const reader = new BaseBackupQuery(options);
  client.query(reader);
  const summary = reader.finished.finally(() => client.end());
  // A caller whose own part failed waits for it no more.
  summary.catch(() => {});
  reader.archive.once('close', () => {
    // The reader has given up, so the server need not go on.
    if (!reader.archive.readableEnded) void client.end();
  });
  return { archive: reader.archive, summary };
}

/** Handles the messages of one BASE_BACKUP for `pg`: three result sets, and between them the archive and the manifest. */
class BaseBackupQuery {
  readonly archive: Readable;
  readonly finished: Promise<BaseBackup>;
  private readonly options: BaseBackupOptions;
  private readonly done = Promise.withResolvers<BaseBackup>();
  private readonly rows: (string | null)[][] = [];
  private readonly manifest: Buffer[] = [];
  private socket: Socket | undefined;
  private inManifest = false;
  /** The last bytes of PostgreSQL's own archive: its end-of-archive blocks, after which no manifest could follow. */
  private held = Buffer.alloc(0);

  constructor(options: BaseBackupOptions) {
    this.options = options;
    this.finished = this.done.promise;
    this.finished.catch(() => {});
    this.archive = new Readable({ highWaterMark: MIB, read: () => void this.socket?.resume() });
  }

  submit(connection: pg.Connection): void {
    this.socket = connection.stream as Socket;
    const words = ["LABEL 'tradeloom'", 'PROGRESS true', "CHECKPOINT 'fast'", 'WAL true'];
    words.push("MANIFEST 'yes'", "MANIFEST_CHECKSUMS 'SHA256'");
    if (this.options.maxRate !== undefined) words.push(`MAX_RATE ${this.options.maxRate * 1024}`);
    connection.query(`BASE_BACKUP (${words.join(', ')})`);
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.rows.push(fields);
  }

  handleCommandComplete(): void {}

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const content = chunk.subarray(1);
    switch (String.fromCharCode(chunk[0]!)) {
      case 'm':
        this.inManifest = true;
        return;
      case 'p':
        this.options.onProgress?.(Number(content.readBigInt64BE()), Number(this.rows[1]?.[2] ?? 0) * 1024);
        return;
      case 'd':
        // Copied, because the parser reuses its buffer.
        if (this.inManifest) this.manifest.push(Buffer.from(content));
        else this.pass(content);
        return;
    }
  }

  handleReadyForQuery(): void {
    const manifest = Buffer.concat(this.manifest);
    const [start, , end] = this.rows;
    if (start === undefined || end === undefined || manifest.length === 0 || !this.held.equals(END)) {
      this.handleError(new Error('PostgreSQL ended the backup before it was complete'));
      return;
    }
    const [lsn, timeline] = [start[0]!, Number(start[1])];
    const summary = { start_lsn: lsn, end_lsn: end[0]!, timeline, first_wal: walFile(timeline, lsn) };
    this.append(manifest).then(
      () => this.done.resolve(summary),
      (error: Error) => this.handleError(error),
    );
  }

  /** Adds the manifest and the end of the archive. */
  private async append(manifest: Buffer): Promise<void> {
    const last = pack();
    last.entry({ name: MANIFEST, mode: 0o600, mtime: new Date(0) }, manifest);
    last.finalize();
    for await (const part of last) this.archive.push(part);
    this.archive.push(null);
  }

  handleError(error: Error): void {
    this.done.reject(error);
    this.archive.destroy(error);
  }

  private pass(content: Buffer): void {
    const bytes = Buffer.concat([this.held, content]);
    const cut = Math.max(0, bytes.length - END.length);
    this.held = bytes.subarray(cut);
    if (cut > 0 && !this.archive.push(bytes.subarray(0, cut))) this.socket!.pause();
  }
}

/** The name of the WAL file that contains this position. */
function walFile(timeline: number, lsn: string): string {
  const [high, low] = lsn.split('/').map((part) => BigInt(`0x${part}`)) as [bigint, bigint];
  const segment = ((high << 32n) + low) / SEGMENT_BYTES;
  const perFile = 2n ** 32n / SEGMENT_BYTES;
  return [BigInt(timeline), segment / perFile, segment % perFile]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}
