import type { CompanyCache } from '../../access/company-cache.ts';
import type { MasterKey } from '../../access/master-key.ts';
import { AppError } from '../../errors.ts';
import type { SendingCompany } from '../settings/settings.ts';

/**
 * Returns the auth tokens of a company's SMS accounts, with which the provider signs its requests. Includes inactive accounts, because
 * messages sent through them are still reported.
 */
export function createSmsTokens(companies: CompanyCache<SendingCompany>, masterKey: Pick<MasterKey, 'open'>) {
  async function companyOf(companyId: number): Promise<SendingCompany | undefined> {
    try {
      return await companies.get(companyId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  return async (companyId: number, mayAsk: boolean): Promise<readonly string[]> => {
    const company = mayAsk ? await companyOf(companyId) : companies.peek(companyId);
    return (company?.accounts ?? [])
      .filter(({ provider }) => provider === 'twilio')
      .map(({ sealed_secret: sealed }) => masterKey.open(Buffer.from(sealed, 'base64')));
  };
}
