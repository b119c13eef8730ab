// Which keys play and step, while the focus is inside an element. Everything a focused control does by itself with a
// key stays with the control; Tab is never touched.

const kActions = {
  ' ': 'play',
  ArrowLeft: 'back', ArrowRight: 'forward',
  PageUp: 'previous', PageDown: 'next',
  Home: 'first', End: 'last',
};

const kAll = Object.keys(kActions);
const kOwnKeys = {
  submit: [' '],  // a <button>
  range: kAll.filter((key) => key !== ' '),
  'select-one': kAll,
  textarea: kAll,
};

// The action that a key asks for, or nothing.
export function action_of(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented) return undefined;
  const own = kOwnKeys[event.target.type] || [];
  return own.includes(event.key) ? undefined : kActions[event.key];
}
