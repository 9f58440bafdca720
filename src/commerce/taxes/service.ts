import type { Caller } from '../../caller.ts';
import { type FieldError, found, validationFailed } from '../../errors.ts';
import { type Page, type PageQuery, pageOf } from '../../lib/paging.ts';
import { problem, wrong } from '../../lib/validation/problems.ts';
import { normaliseZip, zipWithin } from '../address.ts';
import { type ConfigurationDeps, checkRoom, configure } from '../configuration.ts';
import { mergeText, readCountry, readDecimal } from '../fields.ts';
import { fromMicros } from '../money.ts';
import { checkState, stateCode } from '../states.ts';
import type { TaxRule, TaxRuleInput, TaxRulePatch } from './contract.ts';
import * as queries from './queries.ts';

/** All of them are kept in memory (see shop.ts). */
const MAX_RULES = 5_000;

export type TaxesService = ReturnType<typeof createTaxesService>;

/** The shop's tax rules. Changes apply to orders placed after them. */
export function createTaxesService(deps: ConfigurationDeps) {
  const { db } = deps;
  return {
    /** By priority. */
    async listTaxRules(companyId: number, query: PageQuery): Promise<Page<TaxRule>> {
      const lane = db.lists(companyId);
      const page = pageOf(query);
      const [total, rows] = await Promise.all([
        queries.countTaxRules(lane, companyId),
        queries.listTaxRules(lane, companyId, page),
      ]);
      return { rows: rows.map(ruleRecord), total, ...page };
    },

    /** Throws not_found. */
    async getTaxRule(companyId: number, id: number): Promise<TaxRule> {
      return ruleRecord(found(await queries.findTaxRule(db.points(companyId), companyId, id), 'tax rule'));
    },

    /** Throws validation_failed. */
    async createTaxRule(caller: Caller, input: TaxRuleInput): Promise<TaxRule> {
      const { companyId, now } = caller;
      const values = ruleValues(input, NEW_RULE);
      return configure(deps, caller, { action: 'tax_rule.create', details: input }, async (tx) => {
        checkRoom(await queries.countTaxRules(tx, companyId), MAX_RULES, 'tax rules');
        return ruleRecord(await queries.insertTaxRule(tx, companyId, values, now));
      });
    },

    /** Sets the fields that are given. Throws not_found, validation_failed. */
    async updateTaxRule(caller: Caller, id: number, patch: TaxRulePatch): Promise<TaxRule> {
      const { companyId, now } = caller;
      return configure(deps, caller, { action: 'tax_rule.update', details: patch }, async (tx) => {
        const old = found(await queries.lockTaxRule(tx, companyId, id), 'tax rule');
        return ruleRecord(await queries.updateTaxRule(tx, companyId, id, ruleValues(patch, old), now));
      });
    },

    /** Returns the deleted rule. Throws not_found. */
    async deleteTaxRule(caller: Caller, id: number): Promise<TaxRule> {
      return configure(deps, caller, { action: 'tax_rule.delete' }, async (tx) =>
        ruleRecord(found(await queries.deleteTaxRule(tx, caller.companyId, id), 'tax rule')),
      );
    },
  };
}

const NEW_RULE: queries.TaxRuleValues = {
  name: '',
  country: '',
  state: null,
  zip_from: null,
  zip_to: null,
  rate: 0,
  priority: 1,
  compound: false,
  applies_to_shipping: false,
  tax_class: null,
};

/** Merges the given fields with the old values; empty strings become null. Throws validation_failed with every failing field. */
function ruleValues(given: TaxRulePatch, old: queries.TaxRuleValues): queries.TaxRuleValues {
  const errors: FieldError[] = [];
  const values: queries.TaxRuleValues = {
    name: given.name ?? old.name,
    country: given.country === undefined ? old.country : readCountry('country', given.country, errors),
    state: mergeText(given.state, old.state),
    zip_from: mergeText(given.zip_from, old.zip_from),
    zip_to: mergeText(given.zip_to, old.zip_to),
    rate: given.rate === undefined ? old.rate : readDecimal('rate', given.rate, errors),
    priority: given.priority ?? old.priority,
    compound: given.compound ?? old.compound,
    applies_to_shipping: given.applies_to_shipping ?? old.applies_to_shipping,
    tax_class: mergeText(given.tax_class, old.tax_class),
  };
  const { country, state, zip_from, zip_to } = values;
  if (country !== '' && state !== null) {
    if (country !== old.country || state !== old.state) checkState('state', state, country, errors);
    values.state = stateCode(state, country);
  }
  if (zip_from !== null && zip_to !== null && !zipWithin(normaliseZip(zip_from, ''), zip_from, zip_to)) {
    errors.push(wrong('zip_to', problem('zip_before'), 'out_of_range'));
  }
  if (errors.length > 0) throw validationFailed(errors);
  return values;
}

function ruleRecord(row: queries.TaxRuleRow): TaxRule {
  return {
    ...row,
    rate: fromMicros(row.rate),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
