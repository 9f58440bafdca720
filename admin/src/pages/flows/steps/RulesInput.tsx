import { Input } from '@mantine/core';
import { useOffer } from '../../../rules/offer.ts';
import { RuleBuilder } from '../../../rules/RuleBuilder.tsx';
import type { PartProps } from './part.ts';

export interface RulesProps extends PartProps {
  /** The event whose data the rules may refer to. */
  eventType: string | null;
  /** Errors of the server, with paths inside these rules. */
  errors?: { field: string; message: string }[];
}

/** Conditions on an event and on the contact; without a rule they always hold, and are omitted. */
export function RulesInput({ label, description, error, value, eventType, errors = [], onChange }: RulesProps) {
  const offer = useOffer();
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <RuleBuilder
        label={label}
        value={value}
        subject="event"
        eventType={eventType}
        offer={offer}
        errors={errors}
        onChange={(next) => onChange(next.rules.length === 0 ? undefined : next)}
      />
    </Input.Wrapper>
  );
}
