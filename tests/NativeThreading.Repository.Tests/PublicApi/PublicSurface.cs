using System.Reflection;

namespace NativeThreading.Repository.Tests.PublicApi;

/// <summary>Prints what other assemblies can see, one line per type and member, in an order that depends on names only.</summary>
internal static class PublicSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    public static string[] Print(Assembly assembly)
    {
        var lines = new List<string>();
        foreach (Type type in assembly.GetTypes().Where(IsVisible).OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            lines.Add(Signatures.Of(type));
            lines.AddRange(Members(type).Order(StringComparer.Ordinal).Select(member => "    " + member));
        }

        return [.. lines];
    }

    /// <summary>The lines that only one of the two has, each under its type, in the order of the file.</summary>
    public static IEnumerable<string> Difference(string[] approved, string[] actual)
    {
        Dictionary<string, string[]> before = ByType(approved), after = ByType(actual);
        foreach (string type in before.Keys.Union(after.Keys).Order(StringComparer.Ordinal))
        {
            string[] old = before.GetValueOrDefault(type, []), now = after.GetValueOrDefault(type, []);
            string[] removed = [.. old.Except(now)], added = [.. now.Except(old)];
            if (!before.ContainsKey(type) || !after.ContainsKey(type))
            {
                yield return (before.ContainsKey(type) ? "- " : "+ ") + type;
            }
            else if (removed.Length + added.Length != 0)
            {
                yield return "  " + type;
            }

            foreach (string line in removed.Select(member => "- " + member.Trim()).Concat(added.Select(member => "+ " + member.Trim())))
            {
                yield return line;
            }
        }
    }

    private static Dictionary<string, string[]> ByType(string[] lines)
    {
        var types = new Dictionary<string, List<string>>(StringComparer.Ordinal);
        List<string> members = [];
        foreach (string line in lines)
        {
            if (line.StartsWith(' '))
            {
                members.Add(line);
            }
            else
            {
                types[line] = members = [];
            }
        }

        return types.ToDictionary(type => type.Key, type => type.Value.ToArray(), StringComparer.Ordinal);
    }

    // The compiler's own types, such as the markers of extension blocks, have names that C# cannot say.
    private static bool IsVisible(Type type) =>
        !type.Name.Contains('<', StringComparison.Ordinal)
        && (type.IsPublic || ((type.IsNestedPublic || type.IsNestedFamily || type.IsNestedFamORAssem) && IsVisible(type.DeclaringType!)));

    private static IEnumerable<string> Members(Type type)
    {
        if (typeof(Delegate).IsAssignableFrom(type))
        {
            yield break; // its signature is in the type's own line
        }

        foreach (FieldInfo field in type.GetFields(Declared).Where(field => (field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly) && !field.IsSpecialName))
        {
            yield return Signatures.Of(field);
        }

        foreach (MethodInfo marker in type.GetNestedTypes(Declared).SelectMany(group => group.GetNestedTypes(Declared))
            .SelectMany(block => block.GetMethods(Declared)).Where(method => method.Name == "<Extension>$"))
        {
            yield return Signatures.OfExtension(marker);
        }

        foreach (MethodBase method in type.GetMembers(Declared).OfType<MethodBase>().Where(IsVisible))
        {
            yield return Signatures.Of(method);
        }
    }

    // Properties and events show as their accessors, which is what callers bind to.
    private static bool IsVisible(MethodBase method) =>
        (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly) && !method.Name.Contains('<', StringComparison.Ordinal);
}
