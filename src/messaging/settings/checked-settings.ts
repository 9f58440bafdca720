import { createPrivateKey } from 'node:crypto';
import type { SendingLimits } from '../../config.ts';
import { invalidField } from '../../errors.ts';
import { isOneLine, normaliseDomain, normaliseEmail } from '../../lib/addresses.ts';
import { isZone } from '../../lib/time-zones/time-zones.ts';
import type { SendingSettingsPatch } from './contract.ts';

/** Returns the settings in their stored form, with sealed secrets. Throws validation_failed. */
export function checkedSettings(
  patch: SendingSettingsPatch,
  seal: (secret: string) => string,
  limits: SendingLimits,
): Record<string, unknown> {
  const { dkim, bounces: _bounces, ...rest } = patch;
  const stored: Record<string, unknown> = { ...rest };
  for (const field of ['from_email', 'reply_to'] as const) {
    const value = patch[field];
    if (value == null) continue;
    const address = normaliseEmail(value);
    if (address === null) throw invalidField(field, `${field} is not an e-mail address`, 'wrong_format');
    stored[field] = address;
  }
  for (const field of ['from_name', 'sms_from'] as const) {
    if (!isOneLine(patch[field] ?? '')) throw invalidField(field, `${field} must be one line`, 'wrong_format');
  }
  for (const [country, sender] of Object.entries(patch.sms_senders ?? {})) {
    const field = `sms_senders.${country}`;
    if (!isOneLine(sender)) throw invalidField(field, `${field} must be one line`, 'wrong_format');
  }
  for (const rate of ['complaint_rate', 'bounce_rate'] as const) {
    const field = `max_${rate}` as const;
    if ((patch[field] ?? 0) <= limits[rate]) continue;
    throw invalidField(
      field,
      `${field} must not be above ${limits[rate]}, the limit of this installation`,
      'out_of_range',
    );
  }
  if (patch.domain_limits !== undefined) {
    stored.domain_limits = Object.fromEntries(
      Object.entries(patch.domain_limits).map(([name, perHour]) => {
        const domain = normaliseDomain(name);
        if (domain === null) throw invalidField('domain_limits', `${name} is no domain`, 'wrong_format');
        return [domain, perHour];
      }),
    );
  }
  const zone = patch.quiet_hours?.timezone;
  if (zone !== undefined && zone !== 'contact' && !isZone(zone)) {
    throw invalidField('quiet_hours.timezone', 'quiet_hours.timezone must be contact or an IANA name', 'unknown');
  }
  if (dkim !== undefined) stored.dkim = dkim && checkedDkim(dkim, seal);
  return stored;
}

function checkedDkim(
  { domain: given, selector, private_key: pem }: NonNullable<SendingSettingsPatch['dkim']>,
  seal: (secret: string) => string,
): { domain: string; selector: string; sealed_key: string } {
  const domain = normaliseDomain(given);
  if (domain === null) throw invalidField('dkim.domain', 'dkim.domain must be the name of a domain', 'wrong_format');
  if (!SELECTOR.test(selector)) {
    throw invalidField('dkim.selector', 'dkim.selector must be letters, digits, hyphens and dots', 'wrong_format');
  }
  requireRsaKey(pem);
  return { domain, selector, sealed_key: seal(pem) };
}

/** The labels before ._domainkey in the name of the DNS record. */
const SELECTOR = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
/** Receivers ignore signatures of smaller keys (RFC 8301). */
const LEAST_KEY_BITS = 1_024;

function requireRsaKey(pem: string): void {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_KEY_BITS) return;
  } catch {}
  const message = `dkim.private_key must be an RSA private key in PEM, of ${LEAST_KEY_BITS} bits or more`;
  throw invalidField('dkim.private_key', message, 'wrong_format');
}
