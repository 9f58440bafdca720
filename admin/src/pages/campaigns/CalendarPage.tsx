import '../templates/texts.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { language, t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { MonthControls } from '../../ui/calendar/MonthControls.tsx';
import { MonthGrid } from '../../ui/calendar/MonthGrid.tsx';
import { monthOf } from '../../ui/calendar/month.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { dayIn } from '../../ui/form/days.ts';
import { dateOf, useFormat } from '../../ui/format.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { Empty } from '../../ui/states.tsx';
import css from './CalendarPage.module.css';

type Calendar = ResponseOf<'/campaigns/calendar'>;
type Entry = Calendar['campaigns'][number];

/** What was sent and what is scheduled, by day, for a month. */
export function CalendarPage() {
  const { api, company } = useShop();
  const [values, change] = useSearchValues();
  const today = dayIn(company.time_zone);
  const month = monthOf(values.month ?? '') ?? monthOf(today.slice(0, 7))!;
  const query = { from: month.first, to: month.last };
  const calendar = useQuery({
    queryKey: [company.id, 'campaigns', 'calendar', query],
    meta: { live: ['campaigns'], everyMs: 5_000 },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => ok(api.GET('/campaigns/calendar', { params: { query }, signal })),
  });
  return (
    <>
      <PageHeader title={t('campaign.calendar')} back={{ path: 'campaigns', text: t('nav.campaigns') }} />
      <MonthControls
        month={month}
        onShow={(name) => change({ month: name === today.slice(0, 7) ? '' : name }, 'push')}
      />
      <Loaded query={calendar}>
        {({ campaigns, complete }) => {
          const byDay = new Map<string, Entry[]>();
          for (const one of campaigns) byDay.set(one.date, [...(byDay.get(one.date) ?? []), one]);
          return (
            <div className="stack" aria-busy={calendar.isPlaceholderData}>
              {complete ? null : <p className={css.note}>{t('campaign.calendar.incomplete')}</p>}
              <MonthGrid
                caption={t('campaign.calendar')}
                month={month}
                today={today}
                cell={(date) => {
                  const entries = byDay.get(date);
                  return entries === undefined ? null : <Entries entries={entries} />;
                }}
              />
              {campaigns.length === 0 ? (
                <div className={css.empty}>
                  <Empty icon="send" title={t('campaign.calendar.empty')} text={t('campaign.calendar.empty.text')} />
                </div>
              ) : null}
            </div>
          );
        }}
      </Loaded>
    </>
  );
}

function Entries({ entries }: { entries: Entry[] }) {
  const { company } = useShop();
  const format = useFormat();
  const time = new Intl.DateTimeFormat(language(), { timeStyle: 'short', timeZone: company.time_zone });
  return (
    <ul className={css.entries}>
      {entries.map((one) => (
        <li key={one.campaign_id}>
          <span className="dim num">
            {time.format(dateOf(one.at))} · {tOf('channel', one.type)}
          </span>
          <Anchor path={`campaigns/${one.campaign_id}`} className="break">
            {one.name}
          </Anchor>
          <span className={css.state}>
            <Status value={one.status} />
            {one.recipients === null ? null : (
              <span className="dim num">
                {t('campaign.calendar.recipients', { n: one.recipients, shown: format.number(one.recipients) })}
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
