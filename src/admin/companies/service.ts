import type { MasterKey } from '../../access/master-key.ts';
import { type Company, createCompanyIn, type NewCompany } from '../../access/service.ts';
import type { Session } from '../../access/sessions.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { AppError, invalidField } from '../../errors.ts';
import { languageOf, normaliseCountry } from '../../lib/countries.ts';
import { createOrderMessages } from '../../marketing/flows/service.ts';
import type { CompileDesign } from '../../marketing/templates/order-emails/service.ts';
import type { CompanyInput, CreatedCompany } from './contract.ts';

export interface CompaniesDeps {
  db: Db;
  masterKey: MasterKey;
  clock: Clock;
  renderer: { compileDesign: CompileDesign };
}

export type CompaniesService = ReturnType<typeof createCompaniesService>;

/**
 * The companies of the installation, for its owner. `tradeloom companies create` does the same on the server, except that orders earn
 * points when they are placed, the default of the API.
 */
export function createCompaniesService({ db, masterKey, clock, renderer }: CompaniesDeps) {
  return {
    /** Throws forbidden_role, validation_failed. */
    async createCompany(session: Session, input: CompanyInput): Promise<CreatedCompany> {
      if (!session.ownsInstallation)
        throw new AppError('forbidden_role', 'Only the owner of the installation may create a company');
      const country = normaliseCountry(input.country);
      if (country === null) throw invalidField('country', 'country must be an ISO 3166 code or an English name');
      const made = await openCompany(db.strangers, renderer.compileDesign, {
        name: input.name,
        country,
        currency: input.currency.toUpperCase(),
        timeZone: input.time_zone,
        masterKey,
        now: clock.now(),
        actor: session.actor,
        // An order that is cancelled has earned nothing that could have been spent.
        loyalty: { earn_on: 'delivered' },
      });
      const { company_id: id, name, currency, time_zone } = made;
      return { id, name, country, currency, time_zone };
    },
  };
}

/** Creates a company as people do, here and on the command line: with the messages that every shop sends about orders. */
export async function openCompany(db: Db, compile: CompileDesign, input: NewCompany): Promise<Company> {
  return db.tx(async (tx) => {
    const company = await createCompanyIn(tx, input);
    const language = languageOf(company.country);
    await createOrderMessages(tx, company.company_id, { language, compile, now: input.now });
    return company;
  });
}
