import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The account that runs the server. PostgreSQL refuses to run as root. */
export interface Account {
  /** Owner of the server's files, as seen from outside. */
  uid: number;
  gid: number;
  /** Command and arguments that precede the program. */
  wrapper: string[];
  /** Set when root becomes another user. */
  identity: { uid?: number; gid?: number };
}

/**
 * The server's environment. It gets none of the program's own variables: those hold secrets, and PG… variables would
 * change settings. Messages are in English, since some are recognised.
 */
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
/** The map is from root outside to an ordinary user inside, so the files stay root's and a 0700 home is no obstacle. */
const UNSHARE = ['unshare', '-U', '--map-user=1000', '--map-group=1000', '--'];

const run = promisify(execFile);

/**
 * Returns the account for a server started by this process: its own; for root, the data's owner; and if that is root,
 * too, the first of three that works.
 * @param owner of the data
 */
export async function serverAccount(owner: { uid: number; gid: number }): Promise<Account> {
  const uid = process.geteuid!();
  const gid = process.getegid!();
  if (uid !== 0) return { uid, gid, wrapper: [], identity: {} };
  if (owner.uid !== 0) return becoming(owner);
  if (await succeeds([...UNSHARE, 'true'])) return { uid, gid, wrapper: UNSHARE, identity: {} };
  for (const name of ['postgres', 'nobody']) {
    const user = await userIds(name);
    if (user) return becoming(user);
  }
  throw new Error(
    'PostgreSQL does not run as root. unshare is not permitted, and there is no user named postgres or nobody: ' +
      'start Tradeloom as an ordinary user, or set DATABASE_URL.',
  );
}

function becoming({ uid, gid }: { uid: number; gid: number }): Account {
  return { uid, gid, wrapper: [], identity: { uid, gid } };
}

/** Starts `program` as `account`, from the root folder, because the account may not be allowed to enter the present one. */
export function spawnAs(
  account: Account,
  program: string,
  args: string[],
  options: Pick<SpawnOptions, 'detached' | 'stdio' | 'timeout'>,
): ChildProcess {
  const [command, ...rest] = [...account.wrapper, program, ...args];
  return spawn(command!, rest, { ...options, ...account.identity, cwd: '/', env: ENVIRONMENT });
}

/**
 * Makes `account` the owner of a folder with all its contents: files that root's server made under unshare belong to another user
 * where unshare is not permitted. The folder itself is changed last, so that an interrupted walk is repeated.
 * @throws EPERM when the folder is someone else's and this process is not root
 */
export async function giveFolder(folder: string, account: Account): Promise<void> {
  if ((await stat(folder)).uid === account.uid) return;
  for (const entry of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, entry), account.uid, account.gid);
  }
  await lchown(folder, account.uid, account.gid);
}

/** A server that root starts has none of root's privileges, so it needs permission to reach each folder that it uses. */
export async function checkReachable(folder: string, account: Account): Promise<void> {
  if (process.geteuid!() !== 0) return;
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid, gid } = await stat(path);
    const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if (!(mode & enter)) {
      throw new Error(
        `PostgreSQL does not run with root's powers, and user ${account.uid} without them cannot enter ${path} on the ` +
          `way to ${folder}: move that to another place, start Tradeloom as an ordinary user, or set DATABASE_URL.`,
      );
    }
    if (path === dirname(path)) return;
  }
}

function succeeds([command, ...args]: string[]): Promise<boolean> {
  return run(command!, args, { cwd: '/', env: ENVIRONMENT }).then(
    () => true,
    () => false,
  );
}

async function userIds(name: string): Promise<{ uid: number; gid: number } | undefined> {
  const id = async (flag: string) => Number((await run('id', [flag, name], { env: ENVIRONMENT })).stdout);
  try {
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    return undefined;
  }
}
