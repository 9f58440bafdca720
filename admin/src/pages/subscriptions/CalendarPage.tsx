import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { MonthControls } from '../../ui/calendar/MonthControls.tsx';
import { MonthGrid } from '../../ui/calendar/MonthGrid.tsx';
import { type Month, monthOf } from '../../ui/calendar/month.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { dayIn } from '../../ui/form/days.ts';
import { useFormat } from '../../ui/format.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Empty } from '../../ui/states.tsx';
import css from './CalendarPage.module.css';

type Calendar = paths['/subscriptions/calendar']['get']['responses'][200]['content']['application/json']['data'];
type CalendarDay = Calendar['days'][number];

/** The orders that subscriptions will place, by day, for a month. */
export function CalendarPage() {
  const { api, company } = useShop();
  const [values, change] = useSearchValues();
  const today = dayIn(company.time_zone);
  const month = monthOf(values.month ?? '') ?? monthOf(today.slice(0, 7))!;
  const query = { from: month.first, to: month.last };
  const calendar = useQuery({
    queryKey: [company.id, 'subscriptions', 'calendar', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => dataOf(api.GET('/subscriptions/calendar', { params: { query }, signal })),
  });
  const show = (name: string): void => change({ month: name === today.slice(0, 7) ? '' : name });
  return (
    <>
      <PageHeader title={t('subscription.calendar')} back={{ path: 'subscriptions', text: t('nav.subscriptions') }} />
      <MonthControls month={month} earliest={today.slice(0, 7)} onShow={show} />
      <Loaded query={calendar}>
        {(data) => (
          <div className="stack" aria-busy={calendar.isPlaceholderData}>
            <Notes calendar={data} />
            {data.days.length === 0 ? (
              <div className={css.card}>
                <Empty
                  icon="repeat"
                  title={t('subscription.calendar.empty')}
                  text={t('subscription.calendar.empty.text')}
                />
              </div>
            ) : (
              <Days month={month} today={today} days={data.days} currency={data.currency} />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

function Notes({ calendar }: { calendar: Calendar }) {
  const format = useFormat();
  const money = (amount: number): string => format.money(amount, calendar.currency);
  const sum = (of: (day: CalendarDay) => number): number => calendar.days.reduce((all, day) => all + of(day), 0);
  const { overdue } = calendar;
  return (
    <div className={css.notes}>
      <p>
        {t('subscription.calendar.total', {
          n: sum((day) => day.renewals),
          shown: format.number(sum((day) => day.renewals)),
          amount: money(sum((day) => day.subtotal)),
        })}
      </p>
      {overdue.renewals > 0 ? (
        <p>{t('subscription.calendar.overdue', { n: overdue.renewals, amount: money(overdue.subtotal) })}</p>
      ) : null}
      {calendar.complete ? null : <p>{t('subscription.calendar.incomplete')}</p>}
    </div>
  );
}

interface DaysProps {
  month: Month;
  today: string;
  days: CalendarDay[];
  currency: string;
}

function Days({ month, today, days, currency }: DaysProps) {
  const format = useFormat();
  const due = new Map(days.map((day) => [day.date, day]));
  return (
    <MonthGrid
      caption={t('subscription.calendar')}
      month={month}
      today={today}
      cell={(date) => {
        const day = due.get(date);
        if (day === undefined) return null;
        return (
          <div className={css.due}>
            <Anchor path={`subscriptions?renews_on=${date}`} className={css.count}>
              {t('subscription.calendar.n', { n: day.renewals })}
            </Anchor>
            <span className={`${css.amount} dim num`}>{format.money(day.subtotal, currency)}</span>
          </div>
        );
      }}
    />
  );
}
