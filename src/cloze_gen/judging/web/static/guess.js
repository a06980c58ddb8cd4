// Guessing: one or several words for the blank, or no idea. The page never shows whether a guess is right.

export function start(form, changed) {
  const fields = [...form.querySelectorAll("[name=guess]")];
  const none = document.getElementById("no-idea");
  const guesses = () => fields.map((field) => field.value.trim()).filter((text) => text && text !== "-");

  for (const field of fields) {
    field.addEventListener("input", () => {
      if (field.value.trim()) none.checked = false;
      changed();
    });
  }
  none.addEventListener("change", changed);
  fields[0].focus({ preventScroll: true });

  return {
    state: () => ({ fields: fields.map((field) => field.value), none: none.checked }),

    restore(state) {
      const texts = state.fields ?? state.guesses ?? [];
      fields.forEach((field, at) => (field.value = texts[at] ?? ""));
      none.checked = state.none ?? (state.guesses ? !state.guesses.length : false);
    },

    response() {
      if (none.checked) return { response: { guesses: [] } };
      const several = fields.find((field) => /\s/.test(field.value.trim()));
      if (several) return { missing: `Write one word only, not “${several.value.trim()}”.`, focus: several };
      if (guesses().length) return { response: { guesses: guesses() } };
      return { missing: "Write a guess, or choose “No idea” (-).", focus: fields[0] };
    },

    /** Enter goes to the next field while that is empty, then saves. */
    enter(event) {
      const next = fields[fields.indexOf(event.target) + 1];
      if (!fields.includes(event.target) || !event.target.value.trim() || !next || next.value) return false;
      next.focus();
      return true;
    },

    typing(event) {
      return event.key === "-" && !event.target.value && this.key(event);
    },

    key(event) {
      if (event.key !== "-") return false;
      none.checked = !none.checked;
      if (none.checked) for (const field of fields) field.value = "";
      changed();
      return true;
    },
  };
}
