using System.Globalization;
using System.Reflection;

namespace NativeThreading.Repository.Tests.PublicApi;

/// <summary>Types and members as text: near C#, complete, and independent of the culture.</summary>
internal static class Signatures
{
    private static readonly NullabilityInfoContext s_nullability = new();

    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(bool)] = "bool",
        [typeof(int)] = "int",
        [typeof(long)] = "long",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
    };

    public static string Of(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => "enum",
            { IsInterface: true } => "interface",
            { IsValueType: true } => "struct",
            _ when typeof(Delegate).IsAssignableFrom(type) => "delegate",
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => "sealed class",
            _ => "class",
        };
        if (kind == "delegate")
        {
            return $"delegate {type.FullName}: {Of(type.GetMethod("Invoke")!)}";
        }

        Type? baseType = type.BaseType is { } b && b != typeof(object) && b != typeof(ValueType) && b != typeof(Enum) ? b : null;
        string[] bases = [.. (baseType is null ? [] : new[] { baseType }).Concat(Declared(type)).Select(Name)];
        return $"{kind} {type.FullName!.Replace('+', '.')}{(bases.Length == 0 ? "" : " : " + string.Join(", ", bases))}";
    }

    public static string Of(FieldInfo field)
    {
        string kind = field switch { { IsLiteral: true } => "const ", { IsStatic: true } => "static ", _ => "" };
        string value = field.IsLiteral ? string.Create(CultureInfo.InvariantCulture, $" = {field.GetRawConstantValue()}") : "";
        return $"field {field.Name}: {kind}{(field.IsInitOnly ? "readonly " : "")}{Name(field.FieldType)}{value}";
    }

    public static string Of(MethodBase method)
    {
        string access = method.IsPublic ? "" : "protected ";
        string kind =
            method.IsStatic ? "static"
            : method.IsAbstract ? "abstract"
            : method is MethodInfo m && m.GetBaseDefinition() != m ? "override"
            : method is { IsVirtual: true, IsFinal: false } ? "virtual" : "";
        string generic = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Constrained))}>" : "";
        string parameters = string.Join(", ", method.GetParameters().Select(Of));
        string result = method is MethodInfo { ReturnParameter: var returned } ? $": {Name(returned.ParameterType)}{Nullable(returned)}" : "";
        return $"{method.Name}{generic}({parameters}){result} {access}{kind}".TrimEnd();
    }

    /// <summary>What an extension block extends, by the marker that the compiler leaves for it.</summary>
    public static string OfExtension(MethodInfo marker) => $"extension({Name(marker.GetParameters()[0].ParameterType)})";

    private static string Of(ParameterInfo parameter)
    {
        string direction = parameter switch { { IsOut: true } => "out ", { IsIn: true } => "in ", _ => parameter.ParameterType.IsByRef ? "ref " : "" };
        Type type = parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType()! : parameter.ParameterType;
        string value = parameter.HasDefaultValue
            ? string.Create(CultureInfo.InvariantCulture, $" = {parameter.RawDefaultValue ?? "default"}")
            : "";
        return $"{direction}{Name(type)}{Nullable(parameter)} {parameter.Name}{value}";
    }

    private static string Nullable(ParameterInfo parameter) =>
        parameter.ParameterType is { IsValueType: false, IsGenericParameter: false } && s_nullability.Create(parameter) is { ReadState: NullabilityState.Nullable } ? "?" : "";

    private static IEnumerable<Type> Declared(Type type) =>
        type.GetInterfaces()
            .Except(type.BaseType?.GetInterfaces() ?? [])
            .Where(candidate => !type.IsEnum && candidate.IsVisible)
            .OrderBy(Name, StringComparer.Ordinal);

    private static string Constrained(Type parameter)
    {
        string[] constraints = [.. parameter.GetGenericParameterConstraints().Select(Name)];
        return constraints.Length == 0 ? parameter.Name : $"{parameter.Name}: {string.Join(" & ", constraints)}";
    }

    private static string Name(Type type)
    {
        if (type.IsGenericParameter)
        {
            return type.Name;
        }

        if (type.IsArray)
        {
            return Name(type.GetElementType()!) + "[]";
        }

        if (System.Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Name(underlying) + "?";
        }

        if (s_keywords.TryGetValue(type, out string? keyword))
        {
            return keyword;
        }

        string full = (type.Namespace is "System" or "NativeThreading" ? "" : type.Namespace + ".")
            + (type.DeclaringType is { } outer ? outer.Name + "." : "") + type.Name;
        int arity = full.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? full : $"{full[..arity]}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>";
    }
}
