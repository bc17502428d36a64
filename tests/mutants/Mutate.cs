// Puts one mutant into a copy of the sources: dotnet run Mutate.cs -- <mutant> <tree> [--dry]
// A mutant names a member and a statement, so that it is found wherever the member has moved to. Prints where it went in;
// fails where it fits nowhere, or twice. How a mutant is written stands in README.md.
#:property PublishAot=false
#:property NoWarn=CA1852

using System.Text.RegularExpressions;

try
{
    bool isDry = args is [_, _, "--dry"];
    if (args.Length != 2 && !isDry)
    {
        throw new MutantException("usage: Mutate.cs <mutant> <tree> [--dry]");
    }

    foreach (Edit edit in Edit.ReadAll(args[0]))
    {
        Place place = edit.FindIn(args[1]);
        Console.WriteLine($"{Path.GetRelativePath(args[1], place.File)}:{place.Line}");
        if (!isDry)
        {
            File.WriteAllText(place.File, place.Mutated);
        }
    }

    return 0;
}
catch (MutantException exception)
{
    Console.Error.WriteLine($"{Path.GetFileName(args.FirstOrDefault())}: {exception.Message}");
    return 1;
}

internal sealed class MutantException(string message) : Exception(message);

/// <summary>Where an edit goes in, and the file's text with it.</summary>
internal sealed record Place(string File, int Line, string Mutated);

/// <summary>"in" a member "find" some code, and put other code there "by".</summary>
internal sealed record Edit(string In, string Find, string By)
{
    /// <summary>A file holds one edit or several; the lines of code are indented, everything else is not.</summary>
    public static List<Edit> ReadAll(string file)
    {
        var edits = new List<Edit>();
        string key = "";
        foreach (string line in File.ReadLines(file))
        {
            if (!line.StartsWith(' ') && line.Length != 0)
            {
                key = line.Split(' ', 2)[0];
                if (key == "in")
                {
                    edits.Add(new Edit(line[2..].Trim(), "", ""));
                }
            }
            else if (key is "find" or "by" && edits.Count != 0)
            {
                Edit last = edits[^1];
                edits[^1] = key == "find" ? last with { Find = last.Find + line + "\n" } : last with { By = last.By + line + "\n" };
            }
        }

        return edits.Count == 0 || edits.Exists(static edit => edit.Find.Trim().Length == 0)
            ? throw new MutantException("it has no \"in\", or one without a \"find\".")
            : edits;
    }

    public Place FindIn(string tree)
    {
        bool isNative = !In.Contains('.', StringComparison.Ordinal);
        string root = Path.Combine(tree, isNative ? "native/src" : "src");
        var pattern = new Pattern(Find);
        var places = new List<Place>();
        bool memberFound = false;
        foreach (string file in Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories))
        {
            bool isBuilt = file.Contains("/obj/", StringComparison.Ordinal) || file.Contains("/bin/", StringComparison.Ordinal);
            if (isBuilt || (isNative ? Path.GetExtension(file) is not (".c" or ".h") : Path.GetExtension(file) != ".cs"))
            {
                continue;
            }

            var source = new Source(File.ReadAllText(file));
            foreach ((int first, int end) in isNative ? source.Functions(In) : source.Members(In))
            {
                memberFound = true;
                places.AddRange(pattern.Matches(source, first, end).Select(match => match.Replace(source, file, By)));
            }
        }

        return places switch
        {
            [Place one] => one,
            [] when !memberFound => throw new MutantException($"there is no {In} below {root}."),
            [] => throw new MutantException($"{In} has nothing like: {Find.Trim()}"),
            _ => throw new MutantException(
                $"{In} has it {places.Count} times: {string.Join(", ", places.Select(static place => $"{place.File}:{place.Line}"))}"),
        };
    }
}

/// <summary>A file of C or C# as tokens, without comments, preprocessor lines and white space.</summary>
internal sealed partial class Source
{
    private static readonly HashSet<string> s_modifiers =
    [
        "public", "private", "internal", "protected", "static", "readonly", "unsafe", "async", "override", "virtual", "abstract",
        "sealed", "const", "extern", "partial", "ref", "new", "required", "volatile",
    ];

    private readonly List<(string Text, int Start)> _tokens = [];

    public Source(string text)
    {
        Text = text;
        foreach (Match match in Lexer().Matches(text))
        {
            if (match.Groups["token"].Success)
            {
                _tokens.Add((match.Value, match.Index));
            }
        }
    }

    public string Text { get; }

    public int Count => _tokens.Count;

    public string this[int index] => index >= 0 && index < _tokens.Count ? _tokens[index].Text : "";

    public int Start(int index) => _tokens[index].Start;

    public int End(int index) => _tokens[index].Start + _tokens[index].Text.Length;

    /// <summary>Functions of that name at the top level.</summary>
    public IEnumerable<(int First, int End)> Functions(string name) => MembersBetween(0, Count, name);

    /// <summary>Members "Type.Member", in each part of the type.</summary>
    public IEnumerable<(int First, int End)> Members(string path)
    {
        string[] names = path.Split('.');
        for (int i = 0; i < Count; i++)
        {
            if (this[i] is not ("class" or "struct" or "record" or "interface") || this[i + 1] != names[0])
            {
                continue;
            }

            int body = i + 2;
            while (body < Count && this[body] is not ("{" or ";"))
            {
                body = this[body] is "(" or "[" ? Behind(body) : body + 1;
            }

            if (this[body] == "{")
            {
                foreach ((int First, int End) member in MembersBetween(body + 1, Behind(body) - 1, names[1]))
                {
                    yield return member;
                }
            }
        }
    }

    private IEnumerable<(int First, int End)> MembersBetween(int from, int to, string name)
    {
        while (from < to)
        {
            string found = "";
            int at = from;
            while (this[at] == "[")
            {
                at = Behind(at); // attributes
            }

            // The head: up to the parameters, the body or the value. Its last word is the name.
            bool isNamed = false;
            while (at < to && this[at] is not ("{" or ";" or "=" or "=>"))
            {
                if (this[at] == "(" && !isNamed)
                {
                    isNamed = at > from && !s_modifiers.Contains(this[at - 1]); // else the type is a tuple
                    at = Behind(at);
                }
                else if (this[at] is "(" or "[" or "<")
                {
                    at = Behind(at);
                }
                else
                {
                    found = !isNamed && (char.IsLetter(this[at][0]) || this[at][0] == '_') ? this[at] : found;
                    at++;
                }
            }

            at = this[at] == "{" ? Behind(at) : at;
            if (this[at] is "=" or "=>" || (this[at - 1] != "}" && this[at] != ";"))
            {
                while (at < to && this[at] != ";")
                {
                    at = this[at] is "(" or "[" or "{" ? Behind(at) : at + 1;
                }
            }

            at = Math.Min(this[at] == ";" ? at + 1 : Math.Max(at, from + 1), to);
            if (found == name)
            {
                yield return (from, at);
            }

            from = at;
        }
    }

    /// <summary>The token behind the bracket that closes this one.</summary>
    private int Behind(int open)
    {
        (string left, string right) = (this[open], this[open] switch { "(" => ")", "[" => "]", "<" => ">", _ => "}" });
        int depth = 0;
        for (int i = open; i < Count; i++)
        {
            depth += this[i] == left ? 1 : this[i] == right ? -1 : 0;
            if (depth == 0)
            {
                return i + 1;
            }
        }

        return Count;
    }

    // What is skipped comes first: white space, comments, preprocessor lines, points where a test holds or delays threads. Then
    // strings (raw, interpolated, verbatim, plain), characters, words, numbers, operators.
    [GeneratedRegex("""
        \G(?:(?:\s+|//[^\n]*|/\*.*?\*/|(?<=^|\n)[ \t]*\#(?:\\\n|[^\n])*|(?:Chaos\.Point|nth__chaos|nth__failpoint)\([^;\n]*\);)
        |(?<token>\$*(?<quotes>"{3,}).*?\k<quotes>
        |\$@?"(?:\\.|\{\{|\{(?:[^{}"]|"(?:\\.|[^"\\])*")*\}|[^"\\{])*"
        |@"(?:""|[^"])*"|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'
        |[$@]?[A-Za-z_]\w*|\d\w*(?:\.\d\w*)?
        |=>|->|\+\+|--|&&|\|\||[-+*/%&|^!=<>]=|.))
        """, RegexOptions.Singleline | RegexOptions.IgnorePatternWhitespace | RegexOptions.ExplicitCapture)]
    private static partial Regex Lexer();
}

/// <summary>Code to be found; $word stands for a receiver, such as "this", "_signal" or "worker.Gate".</summary>
internal sealed class Pattern(string text)
{
    private readonly Source _code = new(text);

    public IEnumerable<Found> Matches(Source source, int first, int end)
    {
        for (int at = first; at < end;)
        {
            var captures = new Dictionary<string, string>();
            int behind = Match(source, at, end, 0, captures);
            if (behind < 0)
            {
                at++;
                continue;
            }

            yield return new Found(at, behind, captures);
            at = behind;
        }
    }

    /// <summary>The token behind the match, or -1.</summary>
    private int Match(Source source, int at, int end, int position, Dictionary<string, string> captures)
    {
        if (position == _code.Count)
        {
            return at;
        }

        if (at >= end)
        {
            return -1;
        }

        string wanted = _code[position];
        if (wanted[0] != '$')
        {
            return source[at] == wanted ? Match(source, at + 1, end, position + 1, captures) : -1;
        }

        for (int last = at; last < end && (char.IsLetter(source[last][0]) || source[last][0] == '_'); last += 2)
        {
            captures[wanted] = source.Text[source.Start(at)..source.End(last)];
            int behind = Match(source, last + 1, end, position + 1, captures);
            if (behind >= 0)
            {
                return behind;
            }

            if (source[last + 1] is not ("." or "->"))
            {
                break;
            }
        }

        return -1;
    }
}

internal sealed record Found(int First, int Behind, Dictionary<string, string> Captures)
{
    public Place Replace(Source source, string file, string by)
    {
        by = Regex.Replace(by.Trim(), @"\$[A-Za-z]\w*", match => Captures.GetValueOrDefault(match.Value, match.Value));
        int start = source.Start(First);
        int line = source.Text.AsSpan(0, start).Count('\n') + 1;
        return new Place(file, line, source.Text[..start] + by + source.Text[source.End(Behind - 1)..]);
    }
}
