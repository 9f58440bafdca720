import Type, { type TObject } from 'typebox';
import type { FieldError } from '../../../errors.ts';
import { readSender } from '../../../lib/addresses.ts';
import { isZone } from '../../../lib/time-zones/time-zones.ts';
import { problem, wrong } from '../../../lib/validation/problems.ts';
import { type Validator, validatorOf } from '../../../lib/validation/validation.ts';
import { checkRules } from '../../rules/language.ts';
import { branchesOf, CONFIGS, type DraftStep, STEP_TYPES, type StepType } from './steps.ts';

export const complete = validatorsOf((schema) => schema);
export const partial = validatorsOf((schema) => Type.Partial(schema));

function validatorsOf(form: (schema: TObject) => TObject): Record<StepType, Validator> {
  return Object.fromEntries(STEP_TYPES.map((type) => [type, validatorOf(form(CONFIGS[type]))])) as Record<
    StepType,
    Validator
  >;
}

export function checkConfig(validators: Record<StepType, Validator>) {
  return (step: DraftStep, i: number): FieldError[] => {
    const path = `steps.${i}.config`;
    const errors = (validators[step.type](step.config ?? {}) ?? []).map(({ field, message, ...rest }) => {
      const at = field === '' ? path : `${path}.${field}`;
      return { ...rest, field: at, message: `${at} ${message.slice((field || 'body').length + 1)}` };
    });
    return errors.length > 0 ? errors : checkStepRules(step, path);
  };
}

function checkStepRules({ type, config = {} }: DraftStep, path: string): FieldError[] {
  if (type === 'branch') {
    const paths = (config.paths ?? []) as { conditions: unknown }[];
    return paths.flatMap(({ conditions }, i) => checkRules(conditions, `${path}.paths.${i}.conditions`, 'event'));
  }
  if (type === 'send_email') return checkSender(config.from, `${path}.from`);
  if (type === 'send_sms') return [];
  return config.conditions === undefined ? [] : checkRules(config.conditions, `${path}.conditions`, 'event');
}

/** Accepts what messaging accepts as a sender; empty is the company's own. */
function checkSender(sender: unknown, path: string): FieldError[] {
  const text = typeof sender === 'string' ? sender.trim() : '';
  return text === '' || readSender(text) !== null ? [] : [wrong(path, problem('no_sender'))];
}

/** Checks what a step type requires beyond its schema. */
export function checkMeaning(step: DraftStep, i: number): FieldError[] {
  const path = `steps.${i}.config`;
  const config = step.config ?? {};
  switch (step.type) {
    case 'send_email': {
      if (config.template_id !== undefined || (config.subject !== undefined && config.content !== undefined)) return [];
      return [wrong(path, problem('no_content'))];
    }
    case 'wait_until': {
      const errors = checkZone(config.timezone, `${path}.timezone`);
      if (['time', 'weekdays', 'date_field'].every((key) => config[key] === undefined)) {
        errors.push(wrong(path, problem('no_time')));
      }
      return errors;
    }
    case 'branch':
      return checkKeys(step, `${path}.paths`);
    case 'split': {
      const weights = (config.variants as { weight?: number }[] | undefined) ?? [];
      const heavy = weights.some(({ weight }) => Number(weight) > 0);
      return [
        ...checkKeys(step, `${path}.variants`),
        ...(heavy ? [] : [wrong(`${path}.variants`, problem('no_weight'))]),
      ];
    }
    default:
      return [];
  }
}

function checkKeys(step: DraftStep, path: string): FieldError[] {
  const keys = branchesOf(step);
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i ? [wrong(`${path}.${keys.indexOf(key)}.key`, problem('key_twice', { name: key }))] : [],
  );
}

export function checkZone(zone: unknown, path: string): FieldError[] {
  const known = zone === undefined || zone === 'contact' || isZone(String(zone));
  return known ? [] : [wrong(path, problem('no_zone'))];
}
