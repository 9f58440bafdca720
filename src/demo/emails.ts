/** The layout of the demo shop's e-mails: one column, the shop's name at the top, the sender's name at the end. */
function layout(...paragraphs: string[]): string {
  const body = paragraphs.map((paragraph) => `<p style="margin:0 0 16px">${paragraph}</p>`).join('\n');
  return `<div style="font:16px/1.6 Georgia,serif;color:#2b2622;max-width:560px;margin:0 auto;padding:32px 20px">
<p style="margin:0 0 28px;letter-spacing:.08em;text-transform:uppercase;font-size:13px;color:#7b3f24">Fernhill Coffee &amp; Tea</p>
${body}
<p style="margin:28px 0 0">Ida at Fernhill</p>
</div>`;
}

const HELLO = 'Hello {{ contact.first_name | default: "there" }},';

export const WELCOME = {
  subject: 'Welcome, {{ contact.first_name | default: "and come in" }}',
  preview_text: 'Two things worth knowing before the first cup.',
  content: layout(
    HELLO,
    'it is good to have you. We are five people with a small roaster, a long shelf of tea and strong opinions about mugs.',
    'Two things are worth knowing. We roast on Tuesdays, so what you order on a Monday is as fresh as it gets. And if a bag is not for you, write to me: I would rather send another one than have you drink something you do not like.',
  ),
};

export const HOW_DO_YOU_BREW = {
  subject: 'How do you make yours?',
  preview_text: 'The first parcel is on us.',
  content: layout(
    HELLO,
    'a question, out of curiosity: pot, cone, press or machine? If you tell me, I can tell you what to try. For a cone I would begin with the Harbour Filter Roast; for a machine, with Morning Ridge.',
    'And so that trying costs less: <strong>POSTFREE</strong> takes the postage off one order of yours.',
  ),
};

export const HOW_WAS_IT = {
  subject: 'How was it?',
  preview_text: 'Two sentences are plenty.',
  content: layout(
    HELLO,
    'your parcel should have been with you for a few days now. How was it? Two sentences are plenty, and I read every one of them.',
    'If a cup came out bitter, grind a little coarser before you blame the beans. If it came out sour, finer.',
  ),
};

export const THIRD_BAG = {
  subject: 'Something for a good customer',
  preview_text: 'Buy two bags, the third is a present.',
  content: layout(
    HELLO,
    'that was a proper order, thank you again. How did you like it?',
    'When you next run low: with <strong>THIRDBAG</strong>, two bags of coffee come with a third. It is for people who drink as much of it as we do.',
  ),
};

export const NEW_HARVEST = {
  subject: 'The new harvest is in',
  preview_text: 'Guatemala, eleven families, one very good year.',
  content: layout(
    HELLO,
    'the new Huehuetenango has arrived, and it is the best that we have had from there: red apple, caramel, and so clean that you taste the water.',
    'There are two hundred and forty bags. We have already put one aside for ourselves.',
  ),
};

export const FOR_REGULARS = {
  subject: 'Before everybody else',
  preview_text: 'A small lot, for those who come back.',
  content: layout(
    HELLO,
    'you have been here often enough to hear this first: on Friday we roast a small lot of Yirgacheffe, washed for once, not natural.',
    'It goes into the shop on Monday. Until then it is yours: just put a note into your order.',
  ),
};
