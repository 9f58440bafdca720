import { LRUCache } from 'lru-cache';
import { AppError, Overloaded } from '../../errors.ts';
import type { Probe, Probed } from '../../net/probe.ts';
import { looksPersonal, type WebAddress } from '../compose/warnings/addresses.ts';
import type { CheckedAddress } from './contract.ts';

type Asked = Pick<WebAddress, 'address' | 'kind'>;

export interface AddressChecks {
  /**
   * Calls each distinct address once. Throws rate_limited while another check of the company is running or after too many checks, and
   * Overloaded while too many companies run checks. Holds nothing but memory while it waits.
   */
  check(companyId: number, asked: readonly Asked[]): Promise<CheckedAddress[]>;
}

export interface AddressCheckDeps {
  probe: Probe['probe'];
  /** Hosts of the installation and of the company whose tracking and unsubscribe pages (see OWN_PAGES) are personal. */
  ownHosts(companyId: number): Promise<readonly string[]>;
  /** Whether URLs with any port may be called; for private networks. */
  anyPort: boolean;
  /** Returns milliseconds. */
  now: () => number;
  totalMs?: number;
}

/** Concurrent calls within one check. */
const AT_ONCE = 6;
const TOTAL_MS = 20_000;
/** Concurrent checks of all companies in this process. */
const MOST_CHECKS = 20;
const WINDOW_MS = 600_000;
const MOST_IN_WINDOW = 20;
const COMPANIES = 5_000;
const LARGE_BYTES = 1_000_000;
/** Paths of tracking links and unsubscribe pages. */
const OWN_PAGES = /^\/[ut]\//;

export function createAddressChecks(deps: AddressCheckDeps): AddressChecks {
  const { probe, ownHosts, anyPort, now, totalMs = TOTAL_MS } = deps;
  const running = new Set<number>();
  /** Start times of each company's latest checks. */
  const begun = new LRUCache<number, number[]>({ max: COMPANIES });

  function begin(companyId: number): void {
    if (running.has(companyId)) throw refused('A check of links of this company is under way', 5);
    const at = now();
    const recent = (begun.get(companyId) ?? []).filter((time) => at - time < WINDOW_MS);
    if (recent.length >= MOST_IN_WINDOW) {
      const wait = Math.ceil((recent[0]! + WINDOW_MS - at) / 1_000);
      throw refused('Too many checks of links of this company', Math.max(1, wait));
    }
    if (running.size >= MOST_CHECKS) throw new Overloaded(5_000);
    begun.set(companyId, [...recent, at]);
    running.add(companyId);
  }

  async function run(companyId: number, asked: readonly Asked[]): Promise<CheckedAddress[]> {
    const own = new Set(await ownHosts(companyId));
    const ending = AbortSignal.timeout(totalMs);
    const obstacleOf = (address: string): CheckedAddress['reason'] => whyNot(address, own, anyPort);
    const mayCall = (address: string): boolean => obstacleOf(address) === null;
    const probed = new Map<string, Probed | 'out_of_time'>();
    const waiting = [...new Set(asked.map(({ address }) => address))].filter(mayCall);
    const callNext = async (): Promise<void> => {
      for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
        if (ending.aborted) probed.set(address, 'out_of_time');
        else probed.set(address, await probe(address, ending, mayCall));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, callNext));
    return asked.map((one) => {
      const found = probed.get(one.address) ?? { redirectsTo: one.address };
      if (found === 'out_of_time') return { ...one, ...NOTHING, result: 'not_checked', reason: found };
      if ('redirectsTo' in found) {
        return { ...one, ...NOTHING, result: 'not_checked', reason: obstacleOf(found.redirectsTo) };
      }
      return { ...one, ...judged(one.kind, found) };
    });
  }

  return {
    async check(companyId, asked) {
      begin(companyId);
      try {
        return await run(companyId, asked);
      } finally {
        running.delete(companyId);
      }
    },
  };
}

const NOTHING = { status: null, type: null, bytes: null };

function refused(message: string, retry_after: number): AppError {
  return new AppError('rate_limited', message, { retry_after });
}

/** Returns why an address is not called, or null if it is. Whether its host is public is checked when it is called. */
function whyNot(address: string, own: ReadonlySet<string>, anyPort: boolean): CheckedAddress['reason'] {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return 'not_web';
  const url = new URL(address);
  if (looksPersonal(url) || (own.has(url.host.replace(/\.(?=$|:)/, '')) && OWN_PAGES.test(url.pathname)))
    return 'personal';
  if (url.username !== '' || url.password !== '') return 'password';
  return url.port !== '' && !anyPort ? 'port' : null;
}

function judged(
  kind: Asked['kind'],
  found: Exclude<Probed, { redirectsTo: string }>,
): Omit<CheckedAddress, 'address' | 'kind'> {
  if (found.unreachable !== undefined) return { ...NOTHING, result: 'unreachable', reason: found.unreachable };
  const { status, type, bytes } = found;
  const seen = { status, type: type === '' ? null : type.slice(0, 100), bytes: kind === 'picture' ? bytes : null };
  if (status < 200 || status >= 300) return { ...seen, result: 'bad_status', reason: null };
  if (kind === 'link') return { ...seen, result: 'ok', reason: null };
  if (!type.startsWith('image/')) return { ...seen, result: 'not_a_picture', reason: null };
  return { ...seen, result: bytes !== null && bytes > LARGE_BYTES ? 'large_picture' : 'ok', reason: null };
}
