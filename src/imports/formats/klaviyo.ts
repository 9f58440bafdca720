import { column, type Format } from './format.ts';

/** Export of a list or segment as CSV. */
export const klaviyo: Format = {
  name: 'klaviyo',
  title: 'Klaviyo profiles',
  kind: 'contacts',
  timeZone: 'UTC',
  keepsOthers: true,
  columns: [
    column('email', 'Email'),
    column('first_name', 'First Name'),
    column('last_name', 'Last Name'),
    column('phone', 'Phone Number'),
    column('source', 'Source'),
    column('email_consent', 'Email Marketing Consent', 'Email Marketing Status'),
    column('sms_consent', 'SMS Marketing Consent', 'SMS Marketing Status'),
    column('consent_at', 'Email Marketing Consent Timestamp'),
    column('suppressed', 'Email Suppressions'),
    column('property:organization', 'Organization'),
    column('property:title', 'Title'),
    column('property:address', 'Address'),
    column('property:address2', 'Address 2'),
    column('property:city', 'City'),
    column('property:region', 'State / Region', 'Region'),
    column('property:zip', 'Zip Code', 'Zip'),
    column('property:country', 'Country'),
    column('property:timezone', 'Timezone'),
  ],
  drops: ['Klaviyo ID', 'Latitude', 'Longitude', 'IP Address', 'Profile Created On', 'Date Added', 'Last Active'],
  read: (fields) =>
    fields.suppressed === undefined || /^(?:\[\]|none|false|no)$/i.test(fields.suppressed)
      ? fields
      : { ...fields, email_consent: 'unsubscribed' },
};
