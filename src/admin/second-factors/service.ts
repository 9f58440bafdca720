import { createHash, randomBytes } from 'node:crypto';
import type { MasterKey } from '../../access/master-key.ts';
import { recordOwnChange, requireLive, requirePerson } from '../../access/person-audit.ts';
import { deleteSessionsOf } from '../../access/session-queries.ts';
import type { Session } from '../../access/sessions.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, invalidField, notFound } from '../../errors.ts';
import { base32, matchTotp, newTotpSecret, otpauthUrl } from '../../lib/totp.ts';
import * as queries from './queries.ts';

const RECOVERY_CODES = 10;
/** 80 bits each: a plain hash is enough (ASVS 6.5.2 allows it from 112 bits, or from 20 if attempts are limited). */
const RECOVERY_BYTES = 10;

export type SecondFactorsService = ReturnType<typeof createSecondFactorsService>;

/** Authenticator apps and recovery codes. */
export function createSecondFactorsService(deps: {
  db: Pick<Db, 'strangers'>;
  masterKey: Pick<MasterKey, 'seal' | 'open'>;
  machineClock: Clock;
}) {
  const { db, masterKey, machineClock } = deps;

  /** Whether the code is the app's; each code works once. */
  async function checkApp(personId: number, code: string): Promise<boolean> {
    const row = await queries.findTotp(db.strangers, personId);
    if (row === undefined) return false;
    const step = matchTotp(Buffer.from(masterKey.open(row.secret), 'base64'), code, machineClock.now());
    return step !== null && queries.takeStep(db.strangers, personId, step);
  }

  return {
    /** Whether it is a code of the person's app or one of their recovery codes; it cannot be used again. */
    async check(personId: number, code: string): Promise<boolean> {
      const plain = code.replace(/[\s-]/g, '');
      if (/^\d{6}$/.test(plain)) return checkApp(personId, plain);
      return queries.takeRecoveryCode(db.strangers, personId, hashOf(plain));
    },

    /** Returns a new secret for the app, active once a code confirms it. Throws duplicate, forbidden_role. */
    async begin(session: Session): Promise<{ secret: string; url: string }> {
      const secret = newTotpSecret();
      const sealed = masterKey.seal(secret.toString('base64'));
      if (!(await queries.insertTotp(db.strangers, requirePerson(session), sealed, machineClock.now()))) {
        throw new AppError('duplicate', 'There is an authenticator app already: remove it first');
      }
      return { secret: base32(secret), url: otpauthUrl(secret, 'Tradeloom', session.email ?? '') };
    },

    /** Activates the app. Returns its recovery codes, only this once. Throws validation_failed, forbidden_role. */
    async confirm(session: Session, code: string): Promise<{ recovery_codes: string[] }> {
      const personId = requirePerson(session);
      if (!(await checkApp(personId, code.replace(/\s/g, '')))) {
        throw invalidField('code', 'code is not the current code of the app');
      }
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      const hashes = codes.map((one) => hashOf(one.replaceAll('-', '')));
      const at = machineClock.now();
      await db.strangers.tx(async (tx) => {
        await requireLive(tx, session);
        await queries.confirmTotp(tx, personId, at);
        await queries.replaceRecoveryCodes(tx, personId, hashes);
        await deleteSessionsOf(tx, personId, session.id);
        await recordOwnChange(tx, session, { at, action: 'person.totp.create' });
      });
      return { recovery_codes: codes };
    },

    /** Throws not_found, forbidden_role. */
    async remove(session: Session): Promise<object> {
      const personId = requirePerson(session);
      await db.strangers.tx(async (tx) => {
        if (!(await queries.deleteTotp(tx, personId))) throw notFound('authenticator app');
        await recordOwnChange(tx, session, { at: machineClock.now(), action: 'person.totp.delete' });
      });
      return {};
    },
  };
}

/** Four groups of four letters and digits. */
function newRecoveryCode(): string {
  return base32(randomBytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g)!.join('-');
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code.toLowerCase()).digest();
}
