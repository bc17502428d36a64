namespace NativeThreading.Repository.Tests.Sources;

/// <summary>Which parts of something need which others, and by what.</summary>
internal sealed class Dependencies
{
    private readonly SortedDictionary<(string From, string To), SortedSet<string>> _edges = [];

    public void Add(string from, string to, string mention)
    {
        if (from != to)
        {
            (_edges.TryGetValue((from, to), out SortedSet<string>? mentions) ? mentions : _edges[(from, to)] = []).Add(mention);
        }
    }

    /// <summary>One line for each, with everything that one part mentions of the other.</summary>
    public string[] All => [.. _edges.Select(Line)];

    /// <summary>Those of them that lie on a cycle.</summary>
    public string[] OnCycles => [.. _edges.Where(edge => Reached(from: edge.Key.To).Contains(edge.Key.From)).Select(Line)];

    private static string Line(KeyValuePair<(string From, string To), SortedSet<string>> edge) =>
        $"{edge.Key.From} -> {edge.Key.To}: {string.Join(", ", edge.Value)}";

    private HashSet<string> Reached(string from)
    {
        HashSet<string> reached = [from];
        while (_edges.Keys.Any(edge => reached.Contains(edge.From) && reached.Add(edge.To)))
        {
        }

        return reached;
    }
}
