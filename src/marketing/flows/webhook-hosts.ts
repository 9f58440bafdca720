import type { RequireConfirmed } from '../../access/sessions.ts';
import type { DraftStep } from './definition/steps.ts';
import { HAS_LIQUID } from './execution/webhooks/request.ts';

const PROBE = 'liquid.invalid';

/** People confirm who they are before they add a host that no webhook of the flow has yet. */
export function confirmNewHosts(
  { before, after }: { before: readonly DraftStep[]; after: readonly DraftStep[] },
  requireConfirmed: RequireConfirmed,
): void {
  if (requireConfirmed === null) return;
  const known = new Set(hostsOf(before));
  if (hostsOf(after).some((host) => !known.has(host))) requireConfirmed();
}

function hostsOf(steps: readonly DraftStep[]): string[] {
  return steps.flatMap(({ type, config }) =>
    type === 'webhook' && typeof config?.url === 'string' ? (hostOf(config.url) ?? []) : [],
  );
}

/** The origin, or the whole URL where Liquid decides it; null for texts that cannot be called. */
function hostOf(url: string): string | null {
  const liquidAt = url.search(HAS_LIQUID);
  if (liquidAt === -1) return URL.parse(url)?.origin ?? null;
  // What precedes an @ is a user name, until the path begins: then the host is known.
  const parsed = URL.parse(`${url.slice(0, liquidAt)}@${PROBE}`);
  return parsed === null || parsed.hostname === PROBE ? url : parsed.origin;
}
