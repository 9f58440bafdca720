import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { Facts, Loaded, Section } from '../../../ui/DetailPage.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { AddressChecks } from '../../templates/AddressChecks.tsx';
import type { Campaign } from '../queries.ts';
import { type Check, type CheckFinding, placeOf, textOfFinding, useCheck } from './check.ts';
import css from './wizard.module.css';

/** What prevents sending the campaign and what its writer should look at, each with a link to where it is fixed. */
export function CheckStep({ campaign, at }: { campaign: Campaign; at: string | null }) {
  return (
    <Loaded query={useCheck(campaign, at)}>
      {(check) => {
        const of = (severity: CheckFinding['severity']) => check.findings.filter((one) => one.severity === severity);
        const shared = { check, campaign };
        return (
          <>
            <Section title={t('campaign.recipients')}>
              <Recipients check={check} />
            </Section>
            <Findings title={t('check.errors')} findings={of('error')} {...shared} />
            <Findings title={t('check.warnings')} findings={of('warning')} {...shared} />
            <AddressCheckSection addresses={check.addresses} />
            {check.findings.length === 0 ? <p className={css.good}>{t('check.nothing')}</p> : null}
          </>
        );
      }}
    </Loaded>
  );
}

function AddressCheckSection({ addresses }: Pick<Check, 'addresses'>) {
  if (addresses.every(({ unchecked }) => unchecked !== null)) return null;
  return (
    <Section title={t('addresses.title')} flush>
      <AddressChecks addresses={addresses} />
    </Section>
  );
}

function Recipients({ check }: { check: Check }) {
  const format = useFormat();
  const { recipients, zones_known, largest_before } = check;
  return (
    <Facts
      facts={[
        [t('check.recipients'), recipients === null ? t('check.recipients.unknown') : format.number(recipients)],
        zones_known === null ? null : [t('check.zones_known'), format.number(zones_known)],
        [
          t('check.largest_before'),
          largest_before === null ? t('check.largest_before.none') : format.number(largest_before),
        ],
      ]}
    />
  );
}

function Findings(props: { title: string; findings: CheckFinding[]; check: Check; campaign: Campaign }) {
  const format = useFormat();
  const { title, findings, check, campaign } = props;
  if (findings.length === 0) return null;
  return (
    <Section title={title} flush>
      <ul className={css.findings}>
        {findings.map((finding) => {
          const place = placeOf(finding, campaign.campaign_id);
          return (
            <li key={`${finding.code} ${finding.field} ${finding.message}`} data-severity={finding.severity}>
              <span className="break">{textOfFinding(finding, check, format)}</span>
              {place === null ? null : <Anchor path={place.path}>{t('check.fix', { place: place.text })}</Anchor>}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
