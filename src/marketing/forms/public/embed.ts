import type { Texts } from '../../../messaging/consent/texts-type.ts';
import type { ShownLook } from '../look.ts';
import type { FormRow } from '../queries.ts';
import { HONEYPOT, questionsOf, STARTED } from './submission.ts';

/**
 * The script that inserts the form after itself, or into the element in its `data-target`. It creates elements one by one and uses
 * constructed styles, so that a page's Content-Security-Policy needs only this origin in script-src and connect-src; without the
 * latter the browser submits the form itself. The shadow root separates the styles of page and form.
 */
const CODE = `(function(){
var d=document,s=d.currentScript,t=s.dataset.target&&d.querySelector(s.dataset.target),h=d.createElement('div'),r=h.attachShadow({mode:'open'});
function el(n,p,k){var e=d.createElement(n),a;for(a in p)e.setAttribute(a,p[a]);(k||[]).forEach(function(c){e.append(c)});return e}
try{var y=new CSSStyleSheet();y.replaceSync(c.css);r.adoptedStyleSheets=[y]}catch(x){}
var m=el('p',{role:'status'}),b=el('button',{},[c.submit]),f=el('form',{action:c.url,method:'post'}),i=c.fields.map(function(q){
var p={name:q.n,type:q.t,maxlength:254};if(q.r)p.required='';
return el('label',{},[q.l,el('input',p)])});
var w=el('div',{'aria-hidden':'true'},[el('input',{name:c.trap,tabindex:-1,autocomplete:'off','aria-label':c.leave})]);
w.style.cssText='position:absolute;left:-9999px;height:1px;overflow:hidden';
c.top.forEach(function(q){f.append(el(q[0],q[0]=='img'?{src:q[1],alt:''}:{},q[0]=='img'?[]:[q[1]]))});f.append.apply(f,i);
f.append(w,el('input',{type:'hidden',name:c.key,value:c.started}),el('p',{},[c.consent]),b,m);
f.addEventListener('submit',function(e){
e.preventDefault();b.disabled=true;m.textContent='';
fetch(c.url,{method:'POST',headers:{Accept:'application/json'},body:new URLSearchParams(new FormData(f))}).then(function(x){
return x.json().then(function(j){
if(x.ok){if(j.redirect_url){location.assign(j.redirect_url);return}f.replaceChildren(m)}
b.disabled=false;m.textContent=j.message;
var o=j.field&&f.elements[j.field];if(o)o.focus()})}).catch(function(){b.disabled=false;f.submit()})});
r.append(f);if(t)t.append(h);else s.after(h)})();`;

const CSS =
  ':host{display:block;color-scheme:light dark}form{font:inherit;position:relative}label{display:block;margin:0 0 .75em}input{display:block;box-sizing:border-box;width:100%;font:inherit;padding:.5em;min-height:44px}button{font:inherit;padding:.5em 1em;min-height:44px;cursor:pointer}';

function cssOf({ logo_url, button_colors: colors }: ShownLook): string {
  const button =
    colors === null
      ? ''
      : `button{background:${colors.behind};color:${colors.text};border:1px solid;border-radius:6px}`;
  return (logo_url === null ? '' : 'img{max-width:100%;max-height:5em}') + button;
}

/** The picture and texts above the fields, in order. */
function topOf({ logo_url, title, text }: ShownLook): [string, string][] {
  const parts: [string, string | null][] = [
    ['img', logo_url],
    ['h2', title],
    ['p', text],
  ];
  return parts.flatMap(([tag, value]) => (value ? [[tag, value] as [string, string]] : []));
}

export function embedScript(
  form: FormRow,
  look: ShownLook,
  texts: Texts,
  { url, started }: { url: string; started: string },
): string {
  const settings = {
    url,
    started,
    key: STARTED,
    trap: HONEYPOT,
    css: CSS + cssOf(look),
    top: topOf(look),
    leave: texts.form.trap,
    submit: look.button || texts.form.submit,
    consent: form.consent_text,
    fields: questionsOf(form, texts).map(({ name, label, required, type }) => ({
      n: name,
      l: required ? `${label} (${texts.form.required})` : label,
      t: type,
      r: required ? 1 : 0,
    })),
  };
  // Escaped, so that texts of the form stay texts even if the script is inlined into a page.
  const json = JSON.stringify(settings).replace(
    /[<>\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `(function(c){${CODE}})(${json});\n`;
}
