import { recordAuditEntry } from '../../access/audit.ts';
import type { Caller } from '../../caller.ts';
import type { SendingLimits } from '../../config.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { invalidField } from '../../errors.ts';
import { findHold, type Hold } from '../../installation.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import { bouncesRecord, storedBounces } from '../feedback/bounce-settings.ts';
import { isForeignSender } from '../sending-domains/foreign-senders.ts';
import { domainOfAddress } from '../sending-domains/signing.ts';
import { checkedSettings } from './checked-settings.ts';
import type { SendingSettingsPatch, SendingSettingsRecord } from './contract.ts';
import { mergeSettings } from './queries.ts';
import { loadSendingCompany, type SendingCompany } from './settings.ts';

export interface SendingSettingsDeps {
  db: Db;
  /** Encrypts a secret with the master key; ciphertext in base64. */
  sealSecret(secret: string): string;
  /** Makes this process see a change at once; other processes see it within a second. */
  refreshSettings(): Promise<void>;
  /** The base URL of this server, without a trailing slash. */
  origin: () => string;
  /** The installation's limits, which a company can only make stricter. */
  limits: SendingLimits;
}

export type SendingSettingsService = ReturnType<typeof createSendingSettingsService>;

/** Settings for sending: senders, limits, tracking, DKIM and bounce providers. */
export function createSendingSettingsService({ db, sealSecret, refreshSettings, origin, limits }: SendingSettingsDeps) {
  /** Throws validation_failed if the domain belongs to another company; its messages would fail. */
  async function requireOwnSender(companyId: number, from: string): Promise<void> {
    const company = await loadSendingCompany(db.points(companyId), companyId);
    if (!(await isForeignSender(db.strangers, company, from))) return;
    const domain = domainOfAddress(from);
    throw invalidField(
      'from_email',
      `Another company has verified ${domain}: add it to the sending domains first`,
      'taken',
    );
  }

  return {
    async getSendingSettings(companyId: number): Promise<SendingSettingsRecord> {
      const lane = db.points(companyId);
      return settingsRecord(await loadSendingCompany(lane, companyId), await findHold(lane), origin());
    },

    /** Sets the given fields. Throws validation_failed. */
    async updateSendingSettings(caller: Caller, patch: SendingSettingsPatch): Promise<SendingSettingsRecord> {
      const stored = checkedSettings(patch, sealSecret, limits);
      const bounces = storedBounces(patch.bounces ?? {}, sealSecret);
      const { companyId, now, actor } = caller;
      if (typeof stored.from_email === 'string') await requireOwnSender(companyId, stored.from_email);
      const hold = await findHold(db);
      const record = await write(db, caller, async (tx) => {
        await mergeSettings(tx, companyId, { ...stored, ...bounces });
        const providers = Object.entries(bounces).map(([name, kept]) => [name, kept === null ? 'removed' : 'set']);
        const dkim = patch.dkim ? { dkim: patch.dkim.domain } : {};
        const details = { ...stored, ...dkim, ...Object.fromEntries(providers) };
        const entry = { action: 'sending_settings.update', target: 'sending_settings', details };
        await recordAuditEntry(tx, companyId, { at: now, actor, ...entry });
        return settingsRecord(await loadSendingCompany(tx, companyId), hold, origin());
      });
      await refreshSettings();
      return record;
    },
  };
}

function settingsRecord(company: SendingCompany, hold: Hold | null, origin: string): SendingSettingsRecord {
  const { from_email, from_name, reply_to, sms_from, quiet_hours, frequency_cap, max_lateness_hours } = company;
  const { less_often_days, language } = company;
  const { sms_senders, sms_stop_words, sms_help_text } = company;
  const { track_opens, track_clicks, attribution_days, new_contacts_by_events, dkim } = company;
  const { max_complaint_rate, max_bounce_rate, domain_limits } = company;
  return {
    from_email,
    from_name,
    reply_to,
    sms_from,
    quiet_hours,
    frequency_cap,
    max_lateness_hours,
    less_often_days,
    language,
    max_complaint_rate,
    max_bounce_rate,
    domain_limits,
    sms_senders,
    sms_stop_words,
    sms_help_text,
    track_opens,
    track_clicks,
    attribution_days,
    new_contacts_by_events,
    held_since: hold && formatTimestamp(hold.since),
    held_because: hold?.because ?? null,
    dkim: dkim && { domain: dkim.domain, selector: dkim.selector },
    bounces: bouncesRecord(company, origin),
  };
}
